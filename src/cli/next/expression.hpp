#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/next/request.hpp"
#include "domain/time/types.hpp"

namespace sundial::cli {

/// The flags given with an expression; an empty text means that the flag is absent.
struct ExpressionFlags {
    std::string zone{}, dtstart{}, at{}, gap{}, overlap{}, leap{};
};

/// A rule as users write it.
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

/// Converts an expression to a request (request.hpp). Intervals begin at DTSTART, or else at
/// `from`. Errors: bad_request if a flag is missing.
[[nodiscard]] TimeResult<JsonValue::Object> request_of(const Expression& expression,
                                                       const ExpressionFlags& flags, Instant from);

/// Describes a rule for people, and for cron jobs the effect of clock changes. It needs no zone:
/// RRULEs may lack DTSTART, and times a zone.
[[nodiscard]] TimeResult<std::string> explain(const Expression& expression,
                                              const ExpressionFlags& flags);

}  // namespace sundial::cli
