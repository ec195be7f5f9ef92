#include "application/requests/unindexed_orders.hpp"

#include <string>

#include "application/requests/pages_by_execution.hpp"

namespace sundial {
namespace {

bool oldest_executions_first(const EventQuery& query) {
    return query.sort == EventQuery::Sort::executed_at && !query.page.descending;
}

/// Cancelled events are not in such a list, but read for it.
bool sorts_more_than(std::size_t most, EventRepository& events, const EventQuery& query) {
    const Instant from = query.executed_from.value();
    const auto more_ended_than = [&](std::size_t bound) {
        return events.count_ended(from, query.executed_to, bound) > bound;
    };
    if (!more_ended_than(most)) return false;
    return more_ended_than(read_per_sorted_event * most) ||
           events.count_executed(from, query.executed_to, most) > most;
}

}  // namespace

bool needs_beginning(const EventQuery& query) {
    const bool few = query.user || query.key;
    return !few && (query.sort == EventQuery::Sort::lateness || oldest_executions_first(query));
}

std::optional<ValidationFailed> refuse_order(EventRepository& events, const EventQuery& query,
                                             std::size_t most) {
    if (!needs_beginning(query)) return std::nullopt;
    if (!query.executed_from) {
        return invalid("?executedFrom", "required",
                       "is required to sort by latenessMs, or by executedAt with the oldest first, "
                       "unless userId or idempotencyKey is given");
    }
    if (query.sort == EventQuery::Sort::lateness && sorts_more_than(most, events, query)) {
        return invalid("?executedFrom", "too_expensive",
                       "more than " + std::to_string(most) +
                           " events were executed in this time, or " +
                           std::to_string(read_per_sorted_event * most) +
                           " ended; to sort by latenessMs, ask for less time with executedFrom and "
                           "executedTo");
    }
    return std::nullopt;
}

Page<Event> page_of_events(Transaction& tx, const EventQuery& query) {
    EventRepository& events = tx.events();
    const bool few = query.user || query.key;
    if (query.sort != EventQuery::Sort::executed_at || few || !query.max_passed) {
        return events.list(query);
    }
    const EndedEvents ended{
        .list = [&](const EventQuery& part) { return events.list(part); },
        .count = [&](Instant from, Instant to,
                     std::size_t most) { return events.count_ended(from, to, most); }};
    return page_by_execution(query, tx.now(), ended);
}

}  // namespace sundial
