#pragma once

#include <cstddef>
#include <optional>

#include "application/ports/store.hpp"
#include "domain/error.hpp"

/// Lists of events by lateness, and by execution with the oldest first. Neither order has an index,
/// because every settlement would pay for it, but events are found by the time at which they ended
/// (ADR 0023).
namespace sundial {

/// Events that are read and sorted for one page of a list by lateness.
inline constexpr std::size_t max_sorted_events = 20'000;

/// Whether the order of this list has no index. Not so for lists of one user or key, which have few
/// events.
[[nodiscard]] bool lacks_index(const EventQuery& query);

/// Why such a list would read too much: it has no beginning, or sorts more than `most` events.
/// nullopt for all other lists, and for lists of one user or key, which have few events.
[[nodiscard]] std::optional<ValidationFailed> refuse_order(EventRepository& events,
                                                           const EventQuery& query,
                                                           std::size_t most = max_sorted_events);

/// A page of any list of events. In a list by execution with the oldest first that has a beginning,
/// a page passes about `max_passed` events that have ended, whether they match or not, or those of
/// one second if there were more. It then ends, perhaps without an item.
[[nodiscard]] Page<Event> page_of_events(Transaction& tx, const EventQuery& query);

}  // namespace sundial
