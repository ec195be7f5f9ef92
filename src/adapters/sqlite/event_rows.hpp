#pragma once

#include <chrono>
#include <optional>

#include "adapters/sqlite/session.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

/// What the repository and the queue both do to the rows of events, counted in the ledger.
namespace sundial::sqlite {

/// A live event, wherever it stands; nothing if it is over.
[[nodiscard]] std::optional<Event> live_event(Connection& connection, EventId id);

void add_live(Session& session, const Event& event);
/// A transition: what claims and settlements change of a live event.
void move_live(Session& session, const Event& before, const Event& after);

/// The try that ended an event; of a cancelled one there is none.
struct LastTry {
    std::optional<Claimant> settled_by{};
    std::optional<Instant> started_at{};
    std::chrono::microseconds duration{0};
    std::optional<int> status_code{};
};
/// To history with `after`, which is final.
void finish_live(Session& session, const Event& before, const Event& after, const LastTry& last);

void add_attempt(Session& session, const AttemptRecord& attempt);

}  // namespace sundial::sqlite
