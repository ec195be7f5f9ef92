#pragma once

#include <cstdint>
#include <string>

#include "application/ports/time_zones.hpp"
#include "cli/commands.hpp"
#include "cli/next/expression.hpp"
#include "domain/time/types.hpp"

/// `sundial next EXPR` and `sundial schedule explain EXPR`: rules of time for people. The answer is
/// the exit code: 0, or 2 when the expression or a flag is wrong.
namespace sundial::cli {

struct NextOptions {
    std::string expression{};
    ExpressionFlags flags{};
    std::string from{};  // an instant; empty: now
    std::uint32_t count = 10;
    bool plain = false;
};

/// The next occurrences, with what a change of the clocks or a leap day did to them.
[[nodiscard]] int show_next(const NextOptions& options, const TimeZones& zones, Instant now,
                            const Output& output);

/// The rule in plain words.
[[nodiscard]] int show_explanation(const NextOptions& options, const Output& output);

}  // namespace sundial::cli
