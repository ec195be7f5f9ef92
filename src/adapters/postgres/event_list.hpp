#pragma once

#include <cstdint>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "application/ports/event_repository.hpp"

/// Queries for people: lists, walks and dead letters (ports/event_repository.hpp).
namespace sundial::postgres {

[[nodiscard]] Page<Event> list_events(Session& session, const EventQuery& query);
[[nodiscard]] std::vector<Event> walk_events(Session& session, const EventWalk& walk);
[[nodiscard]] std::uint64_t count_events(Session& session, const EventWalk& walk);
[[nodiscard]] BoundedCount count_like(Session& session, const EventQuery& query, std::size_t most);
[[nodiscard]] PlannedCounts count_planned(Session& session, const PlannedQuery& query);
[[nodiscard]] std::size_t count_ended(Session& session, Instant from, std::optional<Instant> to,
                                      std::size_t most);
[[nodiscard]] std::size_t count_executed(Session& session, Instant from, std::optional<Instant> to,
                                         std::size_t most);
[[nodiscard]] Page<EndedAttempt> list_attempts(Session& session, const AttemptQuery& query);
[[nodiscard]] DeadLetters dead_letters(Session& session, DeadLettersBy by);

}  // namespace sundial::postgres
