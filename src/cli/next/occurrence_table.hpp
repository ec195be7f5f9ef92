#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "domain/time/recurrence.hpp"
#include "domain/time/zone.hpp"

namespace sundial::cli {

/// One occurrence as people read it.
struct OccurrenceRow {
    WallTime local;                    // what the clock shows; of a skipped one, should have shown
    std::chrono::seconds offset{};     // of the zone at that time
    std::optional<Instant> instant{};  // empty: a policy skipped it
    std::string note{};                // what a change of the clocks or a leap day did to it
};

/// The first `rows` occurrences after `after`, those among them that a policy skips.
[[nodiscard]] std::vector<OccurrenceRow> occurrence_rows(const Recurrence& rule, const Zone& zone,
                                                         Instant after, std::size_t rows);

/// Aligned columns under their names; empty without rows.
[[nodiscard]] std::string as_table(const std::vector<OccurrenceRow>& rows, const Zone& zone);
/// The same fields between tabs, without names.
[[nodiscard]] std::string as_plain(const std::vector<OccurrenceRow>& rows);
/// One JSON document.
[[nodiscard]] std::string as_json(const std::vector<OccurrenceRow>& rows, const Zone& zone);

}  // namespace sundial::cli
