#pragma once

#include "application/ports/event_queue.hpp"

/// What becomes of a claimed event by the domain's rules, and which attempt is recorded: for queues
/// that change rows one by one. Those in SQL say the same (contract tests).
namespace sundial {

/// The event after its settlement. It must be claimed.
[[nodiscard]] Event settled(const Event& event, const Settlement& settlement, Instant now);
/// Of an event whose lease is over when it is claimed anew: the try that its holder never settled.
[[nodiscard]] AttemptRecord lost_try(const Event& event);
/// Of a claim given back unsent.
[[nodiscard]] AttemptRecord released_try(const Event& event, const GivenBack& given_back);

}  // namespace sundial
