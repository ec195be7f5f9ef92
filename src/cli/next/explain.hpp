#pragma once

#include <string>

#include "cli/next/expression.hpp"
#include "domain/time/error.hpp"

namespace sundial::cli {

/// Describes a rule for people, and for cron jobs the effect of clock changes. It needs no zone:
/// RRULEs may lack DTSTART, and times a zone.
[[nodiscard]] TimeResult<std::string> explain(const Expression& expression,
                                              const ExpressionFlags& flags);

}  // namespace sundial::cli
