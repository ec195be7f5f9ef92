#include "domain/time/recurrence.hpp"

#include <algorithm>
#include <chrono>

#include "base/check.hpp"

namespace sundial {

std::string_view to_string(OccurrenceNote note) {
    switch (note) {
        case OccurrenceNote::none:
            return "";
        case OccurrenceNote::gap_earlier:
            return "gap_earlier";
        case OccurrenceNote::gap_later:
            return "gap_later";
        case OccurrenceNote::gap_boundary:
            return "gap_boundary";
        case OccurrenceNote::gap_skipped:
            return "gap_skipped";
        case OccurrenceNote::overlap_earlier:
            return "overlap_earlier";
        case OccurrenceNote::overlap_later:
            return "overlap_later";
        case OccurrenceNote::overlap_skipped:
            return "overlap_skipped";
        case OccurrenceNote::leap_moved:
            return "leap_moved";
        case OccurrenceNote::leap_skipped:
            return "leap_skipped";
    }
    base::check(false);
    return {};
}

bool is_skip(OccurrenceNote note) {
    return note == OccurrenceNote::gap_skipped || note == OccurrenceNote::overlap_skipped ||
           note == OccurrenceNote::leap_skipped;
}

std::optional<RuleOccurrence> next_after(const Recurrence& rule, Instant after) {
    return rule.after(after)->next();
}

std::vector<RuleOccurrence> list_after(const Recurrence& rule, Instant after, std::size_t count) {
    std::vector<RuleOccurrence> found;
    const auto cursor = rule.after(after);
    while (found.size() < count) {
        const auto next = cursor->next();
        if (!next) break;
        found.push_back(*next);
    }
    return found;
}

std::vector<RuleOccurrence> newest_until(const Recurrence& rule, Instant after, Instant until,
                                         std::size_t count) {
    until = std::min(until, latest_instant);
    if (count == 0 || until <= after) return {};
    // Finds a start from which there are enough occurrences, and not many more, by doubling and
    // then halving. So a dense rule is not walked from its beginning, and a sparse one is not
    // counted repeatedly.
    const Instant oldest = std::max(after, earliest_instant - std::chrono::seconds{1});
    const auto count_from = [&](std::chrono::microseconds back) {
        return rule.count(std::max(oldest, until - back), until);
    };
    std::chrono::microseconds back = std::chrono::seconds{1};
    std::uint64_t there = count_from(back);
    while (until - oldest > back && there < count) there = count_from(back *= 2);
    if (until - oldest <= back) back = until - oldest;
    std::chrono::microseconds short_of{0};
    while (there / 2 > count && back - short_of > std::chrono::seconds{1}) {
        const auto middle = short_of + (back - short_of) / 2;
        const std::uint64_t from_middle = count_from(middle);
        if (from_middle >= count) {
            back = middle;
            there = from_middle;
        } else {
            short_of = middle;
        }
    }

    std::vector<RuleOccurrence> found;
    const auto cursor = rule.after(until - back);
    for (auto next = cursor->next(); next && next->instant <= until; next = cursor->next())
        found.push_back(*next);
    if (found.size() > count)
        found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(count));
    return found;
}

}  // namespace sundial
