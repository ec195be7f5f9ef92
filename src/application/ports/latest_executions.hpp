#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <vector>

#include "application/ports/event_repository.hpp"

namespace sundial {

/// Splits a list by execution, latest first, into queries over growing time ranges. Each range ends
/// where the page begins and is fifteen times as long as the one before. The first range with more
/// rows than a page contains the page. No index has the order of execution instants, because every
/// settlement would pay for it, but an index finds the rows of one range. `last` is the execution
/// instant of the last row of the previous page.
[[nodiscard]] inline std::vector<EventQuery> latest_executions(const EventQuery& query,
                                                               std::optional<Instant> last,
                                                               Instant now) {
    using std::chrono::seconds;
    constexpr std::array stretches{seconds{1},     seconds{15},     seconds{225},
                                   seconds{3'375}, seconds{50'625}, seconds{759'375}};
    std::vector<EventQuery> narrowed;
    const bool none_left = query.page.after && !last;  // only events without execution remain
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
