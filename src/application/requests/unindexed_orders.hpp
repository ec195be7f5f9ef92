#pragma once

#include <cstddef>
#include <optional>

#include "application/ports/store.hpp"
#include "domain/error.hpp"

/// Lists of events by lateness and by execution. Neither order has an index, because every
/// settlement would pay for it, but events are found by the time at which they ended (ADR 0023).
namespace sundial {

/// Events that are sorted for one page of a list by lateness.
inline constexpr std::size_t max_sorted_events = 20'000;
/// Events that are read for each sorted one at most, if many others of the time were cancelled.
inline constexpr std::size_t read_per_sorted_event = 5;

/// Whether a list in this order must name its beginning: it would read the whole history for the
/// first page. Not so for lists of one user or key, which have few events.
[[nodiscard]] bool needs_beginning(const EventQuery& query);

/// Why such a list would read too much: it has no beginning, or sorts more than `most` events.
/// nullopt for all other lists.
[[nodiscard]] std::optional<ValidationFailed> refuse_order(EventRepository& events,
                                                           const EventQuery& query,
                                                           std::size_t most = max_sorted_events);

/// A page of any list of events. Lists by execution end as `page_by_execution` says.
[[nodiscard]] Page<Event> page_of_events(Transaction& tx, const EventQuery& query);

}  // namespace sundial
