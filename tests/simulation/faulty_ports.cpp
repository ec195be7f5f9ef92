#include "simulation/faulty_ports.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "simulation/local_time.hpp"

namespace sundial::simulation {

Step FaultyQueue::step_of(Op op, EventId id, Version held, bool ok) const {
    Step step;
    step.source = user_.number();
    step.op = op;
    step.how = ok ? How::ok : How::refused;
    step.id = id;
    step.version = held.value;
    return step;
}

void FaultyQueue::record(const Claimed& claimed, std::chrono::microseconds lease, bool from_line) {
    for (const auto& [event, previous_lost] : claimed.events) {
        Step step = step_of(Op::claim, event.id, event.version, true);
        step.from_line = from_line;
        step.user = event.user;
        step.key = event.key.value;
        step.attempt = event.attempt.value;
        step.target = target_of(event);
        step.until = claimed.now + lease;
        step.created_at = event.created_at;
        step.is_retry = event.retry_of.has_value();
        step.sound = shows_local_time(event, world_.true_zones);
        if (previous_lost) step.what = "rescued";
        world_.record(std::move(step));
    }
}

std::vector<Claimed> FaultyQueue::claim_ready(std::span<const ClaimRequest> requests) {
    return user_.around([&] {
        auto claims = world_.queue->claim_ready(requests);
        for (const Claimed& claimed : claims) record(claimed, requests.front().lease);
        return claims;
    });
}

/// Part of a transaction, which has the faults.
Claimed FaultyQueue::claim_from_line(const LineRequest& request) {
    Claimed claimed = world_.queue->claim_from_line(request);
    record(claimed, request.lease, true);
    return claimed;
}

std::vector<Result<void, LeaseLost>> FaultyQueue::settle(std::span<const Settlement> settlements) {
    return user_.around([&] {
        auto results = world_.queue->settle(settlements);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Settlement& one = settlements[i];
            Step step = step_of(Op::settle, one.id, one.held, results[i].has_value());
            step.attempt = one.number.value;
            step.status = one.status_code.value_or(0);
            if (const auto* retry = std::get_if<RetryIn>(&one.result)) {
                step.what = "retry";
                step.until = world_.clock.now() + retry->delay;
            } else {
                step.what = std::holds_alternative<Refused>(one.result) ? "failed" : "completed";
            }
            world_.record(std::move(step));
        }
        return results;
    });
}

std::vector<Result<void, LeaseLost>> FaultyQueue::release_claims(
    std::span<const ReleasedClaim> released) {
    return user_.around([&] {
        auto results = world_.queue->release_claims(released);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const ReleasedClaim& one = released[i];
            Step step = step_of(Op::release, one.id, one.held, results[i].has_value());
            step.attempt = one.number.value;
            step.until = one.delay ? world_.clock.now() + *one.delay : never;
            step.what = one.obstacle == Obstacle::limit ? "limit" : one.reason;
            world_.record(std::move(step));
        }
        return results;
    });
}

std::vector<EventId> FaultyQueue::extend(std::span<const Held> held,
                                         std::chrono::microseconds lease) {
    return user_.around([&] {
        auto lost = world_.queue->extend(held, lease);
        for (const Held& one : held) {
            const bool ok = std::ranges::find(lost, one.id) == lost.end();
            Step step = step_of(Op::extend, one.id, one.held, ok);
            step.until = world_.clock.now() + lease;
            world_.record(std::move(step));
        }
        return lost;
    });
}

std::optional<Renewal> FaultyQueue::renew(InstanceId own) {
    return user_.around(
        [&] {
            auto renewal = world_.queue->renew(own);
            Step step;
            step.source = user_.number();
            step.op = Op::beat;
            world_.record(std::move(step));
            return renewal;
        },
        CallKind::heartbeat);
}

}  // namespace sundial::simulation
