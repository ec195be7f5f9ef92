#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "application/ports/event_repository.hpp"

namespace sundial {

/// A list by execution, the latest first, narrowed to stretches that end where its page begins,
/// each fifteen times as long as the one before. Moments of execution have no index in their order,
/// which every settlement would pay for, but what finds a stretch of them: the first that has more
/// than a page has the page. `last` is the moment of the last row of the page before.
[[nodiscard]] inline std::vector<EventQuery> latest_executions(const EventQuery& query,
                                                               std::optional<Instant> last,
                                                               Instant now) {
    using std::chrono::seconds;
    constexpr std::array stretches{seconds{1},     seconds{15},     seconds{225},
                                   seconds{3'375}, seconds{50'625}, seconds{759'375}};
    std::vector<EventQuery> narrowed;
    const bool none_left = query.page.after && !last;  // only what was not executed
    if (query.sort != EventQuery::Sort::executed_at || !query.page.descending || none_left) {
        return narrowed;
    }
    const Instant end = last.value_or(query.executed_to.value_or(now));
    for (const seconds stretch : stretches) {
        if (query.executed_from && *query.executed_from >= end - stretch) break;
        narrowed.push_back(query);
        narrowed.back().executed_from = end - stretch;
    }
    return narrowed;
}

}  // namespace sundial
