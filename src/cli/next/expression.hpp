#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/next/json.hpp"
#include "domain/time/error.hpp"
#include "domain/time/types.hpp"

namespace sundial::cli {

/// What stands beside an expression on the command line; an empty text was not given.
struct ExpressionFlags {
    std::string zone{}, dtstart{}, at{}, gap{}, overlap{}, leap{};
};

/// The request (request.hpp) that an expression for people means: five or six cron fields or a
/// macro, an RRULE, an iCalendar text, `yearly 02-29`, `every PT15M`. Intervals begin at DTSTART,
/// or else at `from`. Errors: bad_request, where a flag is missing.
[[nodiscard]] TimeResult<JsonValue::Object> request_of(std::string_view expression,
                                                       const ExpressionFlags& flags, Instant from);

}  // namespace sundial::cli
