#pragma once

#include <cstdint>
#include <string>

#include "application/ports/time_zones.hpp"
#include "cli/commands.hpp"
#include "cli/next/expression.hpp"
#include "domain/time/types.hpp"

/// `sundial next EXPR` and `sundial schedule explain EXPR`: time rules for people. They return the
/// exit code: 0, or 2 if the expression or a flag is invalid.
namespace sundial::cli {

struct NextOptions {
    std::string expression{};
    ExpressionFlags flags{};
    std::string from{};  // an instant; empty: now
    std::uint32_t count = 10;
    bool plain = false;
};

/// The next occurrences, with the effects of clock changes and leap days.
[[nodiscard]] int show_next(const NextOptions& options, const TimeZones& zones, Instant now,
                            const Output& output);

/// The rule as a sentence.
[[nodiscard]] int show_explanation(const NextOptions& options, const Output& output);

}  // namespace sundial::cli
