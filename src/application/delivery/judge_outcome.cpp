#include "application/delivery/judge_outcome.hpp"

#include <string>

namespace sundial {
namespace {

Settlement unsent(const Event& claimed, const Claimant& by) {
    return {.id = claimed.id,
            .held = claimed.version,
            .number = claimed.attempt,
            .by = by,
            .result = Accepted{},
            .started_at = std::nullopt,
            .status_code = std::nullopt,
            .attempt = std::nullopt};
}

AttemptRecord record_of(const Event& claimed, const Outcome& outcome, const Claimant& by,
                        Instant started_at) {
    return {.event = claimed.id,
            .number = claimed.attempt,
            .outcome = outcome.verdict == Verdict::permanent ? AttemptOutcome::permanent
                                                             : AttemptOutcome::retryable,
            .endpoint = claimed.endpoint,
            .started_at = started_at,
            .duration = outcome.duration,
            .status_code = outcome.status_code,
            .error_code = outcome.error ? std::string{to_string(*outcome.error)} : std::string{},
            .error_text = storable_reason(outcome.error_text),
            .response_body = outcome.response_body,
            .instance = by,
            .held = claimed.version};
}

}  // namespace

Outcome judged(Outcome outcome, const Event& claimed, const Endpoint* endpoint) {
    const bool by_status = outcome.error == DeliveryErrorCode::http_status && outcome.status_code;
    if (!by_status || endpoint == nullptr) return outcome;
    const std::uint32_t granted = endpoint->retry_client_errors;
    const std::uint32_t left = granted - std::min(granted, claimed.retry_count);
    outcome.verdict = judge_status(*outcome.status_code, left);
    return outcome;
}

Settlement settlement_of(const Event& claimed, const Destination& destination,
                         const Outcome& outcome, const Claimant& by, Instant started_at,
                         double random) {
    Settlement settlement = unsent(claimed, by);
    settlement.started_at = started_at;
    settlement.duration = outcome.duration;
    settlement.status_code = outcome.status_code;
    if (outcome.verdict == Verdict::accepted) return settlement;
    settlement.attempt = record_of(claimed, outcome, by, started_at);
    const auto delay = outcome.verdict == Verdict::permanent
                           ? std::nullopt
                           : next_delay(destination.retry_policy, claimed.retry_count + 1, random,
                                        outcome.retry_after);
    if (delay) {
        settlement.result = RetryIn{*delay};
    } else {
        settlement.result = Refused{failure_reason(outcome)};
    }
    return settlement;
}

bool attempts_used_up(const Event& claimed, const RetryPolicy& policy) {
    return claimed.retry_count > delays(policy).size();
}

Settlement lost_for_good(const Event& claimed, const Claimant& by) {
    Settlement settlement = unsent(claimed, by);
    settlement.result =
        Refused{std::string{to_string(DeliveryErrorCode::lease_lost)} +
                " no attempts remain: the last holder did not report its result in time"};
    return settlement;
}

Settlement accepted_before(const Event& claimed, const AttemptRecord& earlier, const Claimant& by) {
    Settlement settlement = unsent(claimed, by);
    settlement.started_at = earlier.started_at;
    settlement.duration = earlier.duration;
    settlement.status_code = earlier.status_code;
    return settlement;
}

}  // namespace sundial
