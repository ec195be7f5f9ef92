#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial::sqlite {

/// Live and finished events that match `query`, in its order.
[[nodiscard]] Page<Event> list_events(Session& session, const EventQuery& query);
[[nodiscard]] std::vector<Event> walk_events(Connection& connection, const EventWalk& walk);
[[nodiscard]] std::uint64_t count_events(Connection& connection, const EventWalk& walk);
[[nodiscard]] BoundedCount count_like(Session& session, const EventQuery& query, std::size_t most);
[[nodiscard]] PlannedCounts count_planned(Connection& connection, const PlannedQuery& query);
[[nodiscard]] std::size_t count_ended(Connection& connection, Instant from,
                                      std::optional<Instant> to, std::size_t most);
[[nodiscard]] std::size_t count_executed(Connection& connection, Instant from,
                                         std::optional<Instant> to, std::size_t most);
[[nodiscard]] Page<EndedAttempt> list_attempts(Session& session, const AttemptQuery& query);
[[nodiscard]] DeadLetters dead_letters(Connection& connection, DeadLettersBy by);

}  // namespace sundial::sqlite
