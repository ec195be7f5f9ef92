#pragma once

#include <chrono>
#include <string>

#include "application/ports/event_queue.hpp"
#include "domain/outcome.hpp"
#include "support/builders.hpp"

/// Settlements of a claim by its holder. `claimed` is the event as the claim returned it.
namespace sundial {

/// Duration of every attempt in these tests.
inline constexpr auto attempt_duration = 120ms;

[[nodiscard]] inline Claimant holder_of(const Event& claimed) {
    return std::get<Processing>(claimed.state).claimed_by.value();
}

[[nodiscard]] inline AttemptRecord a_failed_try(const Event& claimed, AttemptOutcome outcome,
                                                Instant started_at, int status) {
    return {.event = claimed.id,
            .number = claimed.attempt,
            .outcome = outcome,
            .endpoint = claimed.endpoint,
            .started_at = started_at,
            .duration = attempt_duration,
            .status_code = status,
            .error_code = "HTTP_STATUS",
            .error_text = "the receiver said no",
            .response_body = "{\"error\":\"né\"}",
            .instance = holder_of(claimed),
            .held = claimed.version};
}

[[nodiscard]] inline Settlement accepted(const Event& claimed, Instant started_at) {
    return {.id = claimed.id,
            .held = claimed.version,
            .number = claimed.attempt,
            .by = holder_of(claimed),
            .result = Accepted{},
            .started_at = started_at,
            .duration = attempt_duration,
            .status_code = 200,
            .attempt = std::nullopt};
}

[[nodiscard]] inline Settlement retry_in(const Event& claimed, Instant started_at,
                                         std::chrono::microseconds delay) {
    return {.id = claimed.id,
            .held = claimed.version,
            .number = claimed.attempt,
            .by = holder_of(claimed),
            .result = RetryIn{delay},
            .started_at = started_at,
            .duration = attempt_duration,
            .status_code = 503,
            .attempt = a_failed_try(claimed, AttemptOutcome::retryable, started_at, 503)};
}

/// Refused permanently.
[[nodiscard]] inline Settlement refused(const Event& claimed, Instant started_at) {
    return {.id = claimed.id,
            .held = claimed.version,
            .number = claimed.attempt,
            .by = holder_of(claimed),
            .result = Refused{"HTTP_STATUS 404"},
            .started_at = started_at,
            .duration = attempt_duration,
            .status_code = 404,
            .attempt = a_failed_try(claimed, AttemptOutcome::permanent, started_at, 404)};
}

/// Not accepted at the last attempt.
[[nodiscard]] inline Settlement used_up(const Event& claimed, Instant started_at) {
    auto settlement = retry_in(claimed, started_at, 0s);
    settlement.result = Refused{"HTTP_STATUS 503"};
    return settlement;
}

/// Never sent, because all attempts were lost.
[[nodiscard]] inline Settlement lost_for_good(const Event& claimed) {
    return {.id = claimed.id,
            .held = claimed.version,
            .number = claimed.attempt,
            .by = holder_of(claimed),
            .result = Refused{"LEASE_LOST"},
            .started_at = std::nullopt,
            .status_code = std::nullopt,
            .attempt = std::nullopt};
}

[[nodiscard]] inline ReleasedClaim release_of(const Event& claimed,
                                              std::optional<std::chrono::microseconds> delay) {
    return {.id = claimed.id,
            .held = claimed.version,
            .number = claimed.attempt,
            .by = holder_of(claimed),
            .delay = delay,
            .reason = "endpoint disabled"};
}

}  // namespace sundial
