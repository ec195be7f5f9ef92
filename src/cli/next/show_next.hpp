#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/time_zones.hpp"
#include "cli/commands.hpp"
#include "cli/next/expression.hpp"
#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial::cli {

/// One occurrence for display.
struct OccurrenceRow {
    WallTime local;                    // local time; for a skipped one, the time it would have had
    std::chrono::seconds offset{};     // of the zone at that time
    std::optional<Instant> instant{};  // empty: a policy skipped it
    std::string note{};                // effect of a clock change or leap day
};

/// The first `rows` occurrences after `after`, and those in between that a policy skips.
[[nodiscard]] std::vector<OccurrenceRow> occurrence_rows(const Recurrence& rule, const Zone& zone,
                                                         Instant after, std::size_t rows);

/// Aligned columns with headers; empty without rows.
[[nodiscard]] std::string as_table(const std::vector<OccurrenceRow>& rows, const Zone& zone);
/// The same fields separated by tabs, without headers.
[[nodiscard]] std::string as_plain(const std::vector<OccurrenceRow>& rows);
/// One JSON document.
[[nodiscard]] std::string as_json(const std::vector<OccurrenceRow>& rows, const Zone& zone);

/// `sundial next EXPR` and `sundial schedule explain EXPR`: time rules for people. They return the
/// exit code: 0, or 2 if the expression or a flag is invalid.

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
