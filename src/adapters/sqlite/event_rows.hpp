#pragma once

#include <chrono>
#include <optional>

#include "adapters/sqlite/session.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

/// Changes to event rows, shared by the repository and the queue and counted in the ledger.
namespace sundial::sqlite {

/// A live event; empty if the event is finished or unknown.
[[nodiscard]] std::optional<Event> live_event(Connection& connection, EventId id);

void add_live(Session& session, const Event& event);
/// Writes a transition of a live event: the columns that claims and settlements change.
void move_live(Session& session, const Event& before, const Event& after);

/// The attempt that ended an event; empty for a cancelled one.
struct LastAttempt {
    std::optional<Claimant> settled_by{};
    std::optional<Instant> started_at{};
    std::chrono::microseconds duration{0};
    std::optional<int> status_code{};
};
/// Moves `after`, which is final, to history.
void finish_live(Session& session, const Event& before, const Event& after,
                 const LastAttempt& last);

void add_attempt(Session& session, const AttemptRecord& attempt);

}  // namespace sundial::sqlite
