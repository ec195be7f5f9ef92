#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "application/ports/event_repository.hpp"
#include "application/ports/tz_repository.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"

/// Changes of many events in one transaction, for the repositories. The events are found on all
/// shards, without a lock. Then each shard that has some gets its statements, all in one round
/// trip: they lock its events in the order of ids, and change those that are still as they were
/// found (ADR 0060).
namespace sundial::postgres {

/// EventRepository and TzRepository say what each promises. Events are in the order of ids.
[[nodiscard]] std::vector<Event> lock_events_of_user(Session& session, UserId user);
void erase_events_of_user(Session& session, UserId user);
void forget_user_of_events(Session& session, UserId user);

/// A page of events in the order of ids.
struct IdPage {
    std::optional<EventId> after;
    std::size_t limit;
};
[[nodiscard]] std::vector<Event> lock_events_behind(Session& session, ScheduleId schedule,
                                                    Version version, IdPage page);
[[nodiscard]] std::vector<Event> lock_events_computed_with(Session& session,
                                                           const ComputedWith& pair, IdPage page);

[[nodiscard]] std::size_t unpark_events(Session& session, std::optional<EndpointId> endpoint,
                                        std::size_t limit);
[[nodiscard]] std::size_t expedite_events(Session& session, EndpointId endpoint, WaitReason reason,
                                          std::size_t limit);

}  // namespace sundial::postgres
