#pragma once

#include <optional>

#include "domain/time/recurrence.hpp"
#include "domain/time/types.hpp"
#include "domain/time/zone.hpp"

namespace sundial {

/// The occurrences of one nominal time of a rule: one; two (ascending) in an overlap with `both`;
/// none outside the range of years. An occurrence that a policy skips is there as `first`, with its
/// note.
struct NominalOccurrences {
    std::optional<RuleOccurrence> first, second;
};
/// Policy `reject` is a bug here: only kind `local` accepts it.
[[nodiscard]] NominalOccurrences occurrences_at(WallTime nominal, const Zone& zone, GapPolicy gap,
                                                OverlapPolicy overlap);

}  // namespace sundial
