#pragma once

#include "application/delivery/destination.hpp"
#include "application/ports/event_queue.hpp"
#include "domain/event.hpp"
#include "domain/outcome.hpp"

namespace sundial {

/// `outcome` with the verdict that the endpoint's settings give to its status: a client error is
/// retryable while the event has fewer failed attempts than `retry_client_errors`.
[[nodiscard]] Outcome judged(Outcome outcome, const Event& claimed, const Endpoint* endpoint);

/// The settlement of an attempt of `claimed` that began at `started_at`. `random` in [0, 1) spreads
/// the next attempt.
[[nodiscard]] Settlement settlement_of(const Event& claimed, const Destination& destination,
                                       const Outcome& outcome, const Claimant& by,
                                       Instant started_at, double random);

/// No attempts remain: the last ones were lost with their holders. Nothing is sent.
[[nodiscard]] Settlement lost_for_good(const Event& claimed, const Claimant& by);
/// Whether no attempts remain.
[[nodiscard]] bool attempts_used_up(const Event& claimed, const RetryPolicy& policy);

/// An earlier attempt was accepted; nothing is sent again.
[[nodiscard]] Settlement accepted_before(const Event& claimed, const AttemptRecord& earlier,
                                         const Claimant& by);

}  // namespace sundial
