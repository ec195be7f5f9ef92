#pragma once

#include <string>

#include "cli/next/expression.hpp"
#include "domain/time/error.hpp"

namespace sundial::cli {

/// A rule in plain words, and for cron jobs what a change of the clocks does to them. It is no
/// rule in a zone yet: RRULEs need no DTSTART here, and times no zone.
[[nodiscard]] TimeResult<std::string> explain(const Expression& expression,
                                              const ExpressionFlags& flags);

}  // namespace sundial::cli
