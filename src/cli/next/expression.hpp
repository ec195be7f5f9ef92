#pragma once

#include <cstdint>
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

/// A rule as people write it.
struct Expression {
    enum class Kind : std::uint8_t {
        cron,       // five or six fields, or a macro
        rrule,      // FREQ=…
        icalendar,  // lines with DTSTART
        yearly,     // `yearly 02-29`: the text is the date
        every,      // `every PT15M`: the text is the duration
    };
    Kind kind;
    std::string text;
};
[[nodiscard]] Expression read_expression(std::string_view expression);

/// The request (request.hpp) that an expression means. Intervals begin at DTSTART, or else at
/// `from`. Errors: bad_request, where a flag is missing.
[[nodiscard]] TimeResult<JsonValue::Object> request_of(const Expression& expression,
                                                       const ExpressionFlags& flags, Instant from);

}  // namespace sundial::cli
