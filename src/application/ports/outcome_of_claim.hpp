#pragma once

#include "application/ports/event_queue.hpp"

/// The next state of a claimed event by the domain's rules, and the attempt to record, for queues
/// that change rows one by one. The SQL queues give the same results (contract tests).
namespace sundial {

/// The event after its settlement. It must be claimed.
[[nodiscard]] Event settled(const Event& event, const Settlement& settlement, Instant now);
/// The attempt that a holder never settled, of an event that is claimed again after its lease
/// expired.
[[nodiscard]] AttemptRecord lost_attempt(const Event& event);
/// The attempt of a claim released unsent.
[[nodiscard]] AttemptRecord released_attempt(const Event& event, const ReleasedClaim& claim);

}  // namespace sundial
