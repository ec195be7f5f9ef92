#pragma once

#include <cstddef>
#include <functional>

#include "application/ports/event_repository.hpp"

/// Pages of lists of events by execution. No index has that order, because every settlement would
/// pay for it, but a storage finds the events that ended in a stretch of time (ADR 0023).
namespace sundial {

/// The calls to a storage: EventRepository::list and count_ended.
struct EndedEvents {
    std::function<Page<Event>(const EventQuery&)> list;
    std::function<std::size_t(Instant from, Instant to, std::size_t most)> count;
};

/// The page of a list by execution, in either direction, of a query with `max_passed`. The page is
/// read in stretches of time; counts find their lengths. It ends after about `max_passed` events
/// that ended, whether they match or not, perhaps without an item. All events that ended in one
/// microsecond are read together, because the storage cannot read a part of them. Events that were
/// not executed come last, in the order of their creation.
[[nodiscard]] Page<Event> page_by_execution(const EventQuery& query, Instant now,
                                            const EndedEvents& events);

}  // namespace sundial
