#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sundial {

/// The ids from `first` to `last`, both included.
struct IdInterval {
    std::int64_t first;
    std::int64_t last;
    friend bool operator==(const IdInterval&, const IdInterval&) = default;
};

// Sets of ids as ranges: ascending, disjoint and never adjacent, so that each set has exactly one
// form.

/// The id next to `id`, if there is one; otherwise `id`.
[[nodiscard]] std::int64_t id_before(std::int64_t id);
[[nodiscard]] std::int64_t id_behind(std::int64_t id);

[[nodiscard]] bool has_id(std::span<const IdInterval> ranges, std::int64_t id);
/// The ids of `within` that are in none of `ranges`.
[[nodiscard]] std::vector<IdInterval> gaps_in(std::span<const IdInterval> ranges,
                                              IdInterval within);

/// How a set changes: ranges to remove, by their first ids, and then ranges to add.
struct RangeChanges {
    std::vector<std::int64_t> removed;
    std::vector<IdInterval> added;
};
/// Adds `ids`, ascending and new to the set, to `ranges`. These are the part of the set that the
/// ids touch: each range between the least and the greatest of them, and those adjacent to them.
[[nodiscard]] RangeChanges with_ids(std::span<const IdInterval> ranges,
                                    std::span<const std::int64_t> ids);

}  // namespace sundial
