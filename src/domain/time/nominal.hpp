#pragma once

#include <optional>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// What one nominal time of a rule becomes: one occurrence, in an overlap with `both` two
/// (ascending), and none outside the range of years. What a policy skips is there as `first`, with
/// its note.
struct NominalOccurrences {
    std::optional<RuleOccurrence> first, second;
};
/// Policy `reject` is a bug here: only kind `local` takes it.
[[nodiscard]] NominalOccurrences occurrences_at(WallTime nominal, const Zone& zone, GapPolicy gap,
                                                OverlapPolicy overlap);

}  // namespace sundial
