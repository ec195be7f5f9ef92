#include "application/ports/event_queue.hpp"

#include <algorithm>

namespace sundial {
namespace {

/// An attempt without a result.
AttemptRecord without_result(const Event& event, AttemptOutcome outcome) {
    return {.event = event.id,
            .number = event.attempt,
            .outcome = outcome,
            .endpoint = event.endpoint,
            .started_at = std::nullopt,
            .status_code = std::nullopt,
            .error_code = {},
            .error_text = {},
            .response_body = {},
            .instance = std::get<Processing>(event.state).claimed_by,
            .held = event.version};
}

}  // namespace

Event settled(const Event& event, const Settlement& settlement, Instant now) {
    struct Rule {
        const Event& event;
        const Settlement& settlement;
        Instant now;
        Result<Event> operator()(const Accepted&) const { return complete(event, now); }
        Result<Event> operator()(const RetryIn& retry) const {
            return wait_for_retry(event, now, now + retry.delay);
        }
        Result<Event> operator()(const Refused& refused) const {
            const bool used_up =
                settlement.attempt && settlement.attempt->outcome == AttemptOutcome::retryable;
            return used_up ? give_up(event, now, refused.reason) : fail(event, now, refused.reason);
        }
    };
    Event next = std::visit(Rule{event, settlement, now}, settlement.result).value();
    if (!next.first_attempt_at) next.first_attempt_at = settlement.started_at;
    return next;
}

Lane lane_of(const Event& event) { return event.endpoint ? endpoint_lane : Lane{event.type}; }

AttemptRecord lost_attempt(const Event& event) {
    AttemptRecord lost = without_result(event, AttemptOutcome::lost);
    lost.started_at = event.updated_at;  // the claim
    return lost;
}

AttemptRecord released_attempt(const Event& event, const ReleasedClaim& claim) {
    AttemptRecord released = without_result(event, AttemptOutcome::released);
    released.error_text = claim.reason;
    released.instance = claim.by;
    return released;
}

bool is_undone(const Event& event, Version held) {
    return event.obstacle == Obstacle::limit && event.version == base::next(held);
}

bool joins_line(const Event& event, std::span<const EndpointId> limited) {
    return event.endpoint && !is_claimed(event) &&
           std::ranges::find(limited, *event.endpoint) != limited.end();
}

}  // namespace sundial
