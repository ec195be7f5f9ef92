#pragma once

#include "application/delivery/destination.hpp"
#include "application/ports/event_queue.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// `outcome` with the verdict that its endpoint's settings give a status: a client error is
/// retryable while the event's failed tries are fewer than `retry_client_errors`.
[[nodiscard]] Outcome judged(Outcome outcome, const Event& claimed, const Endpoint* endpoint);

/// What to write of a try of `claimed` that began at `started_at`. `random` in [0, 1) spreads the
/// next one.
[[nodiscard]] Settlement settlement_of(const Event& claimed, const Destination& destination,
                                       const Outcome& outcome, const Claimant& by,
                                       Instant started_at, double random);

/// No try is left: the last ones were lost with their holders. Nothing is sent.
[[nodiscard]] Settlement lost_for_good(const Event& claimed, const Claimant& by);
/// Whether that is so.
[[nodiscard]] bool tries_used_up(const Event& claimed, const RetryPolicy& policy);

/// An earlier try was accepted; nothing is sent again.
[[nodiscard]] Settlement accepted_before(const Event& claimed, const AttemptRecord& earlier,
                                         const Claimant& by);

}  // namespace sundial
