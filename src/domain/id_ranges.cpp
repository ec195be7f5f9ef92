#include "domain/id_ranges.hpp"

#include <algorithm>
#include <limits>

namespace sundial {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t id_before(std::int64_t id) { return id == least ? id : id - 1; }
std::int64_t id_behind(std::int64_t id) { return id == greatest ? id : id + 1; }

bool has_id(std::span<const IdInterval> ranges, std::int64_t id) {
    const auto after = std::ranges::upper_bound(ranges, id, {}, &IdInterval::first);
    return after != ranges.begin() && std::prev(after)->last >= id;
}

std::vector<IdInterval> gaps_in(std::span<const IdInterval> ranges, IdInterval within) {
    std::vector<IdInterval> gaps;
    std::int64_t next = within.first;
    for (const IdInterval& range : ranges) {
        if (range.last < next) continue;
        if (range.first > within.last) break;
        if (range.first > next) gaps.push_back({next, range.first - 1});
        if (range.last >= within.last) return gaps;
        next = range.last + 1;
    }
    if (next <= within.last) gaps.push_back({next, within.last});
    return gaps;
}

RangeChanges with_ids(std::span<const IdInterval> ranges, std::span<const std::int64_t> ids) {
    std::vector<IdInterval> pieces(ranges.begin(), ranges.end());
    for (const std::int64_t id : ids) pieces.push_back({id, id});
    std::ranges::sort(pieces, {}, &IdInterval::first);

    std::vector<IdInterval> merged;
    for (const IdInterval& piece : pieces) {
        const bool touches = !merged.empty() && piece.first <= id_behind(merged.back().last);
        if (touches) {
            merged.back().last = std::max(merged.back().last, piece.last);
        } else {
            merged.push_back(piece);
        }
    }

    const auto by_first = [](const IdInterval& a, const IdInterval& b) {
        return a.first != b.first ? a.first < b.first : a.last < b.last;
    };
    RangeChanges changes;
    for (const IdInterval& range : ranges) {
        if (!std::ranges::binary_search(merged, range, by_first)) {
            changes.removed.push_back(range.first);
        }
    }
    for (const IdInterval& range : merged) {
        if (!std::ranges::binary_search(ranges, range, by_first)) changes.added.push_back(range);
    }
    return changes;
}

}  // namespace sundial
