#include "application/pull/settle_pulled.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "application/delivery/judge_outcome.hpp"
#include "application/observation/engine_log.hpp"
#include "application/pull/pull_events.hpp"
#include "application/requests/queries.hpp"

namespace sundial {
namespace {

InvalidStateTransition not_held(const Event& event, std::string_view action) {
    const auto* processing = std::get_if<Processing>(&event.state);
    return {event.id, std::string{action}, status_of(event),
            processing ? processing->claimed_by : std::nullopt, event.version};
}

}  // namespace

/// One attempt of a worker, identified by the version that its claim returned.
struct SettlePulled::Claim {
    Event event;                       // as claimed, while `over` is empty
    std::optional<Endpoint> endpoint;  // empty: it was deleted
    Claimant by;
    std::optional<AttemptOutcome> over{};  // the outcome
    /// When the event was claimed; empty for a LOST attempt of a version that did not record it.
    std::optional<Instant> started_at;
    Instant now;

    [[nodiscard]] bool ended(AttemptOutcome outcome) const { return over == outcome; }
};

PullResult<SettlePulled::Claim> SettlePulled::find(std::string_view reference, Version held,
                                                   std::string_view action) {
    const std::string_view operation = action == "complete" || action == "fail" ? "settle" : action;
    auto found = in_read(ports_.store, [&](Transaction& tx) -> PullResult<Claim> {
        const auto id = event_id(reference);
        if (!id) return id.error();
        const auto event = tx.events().find(*id);
        if (!event) return NotFound{Noun::event, std::string{reference}};
        std::optional<Endpoint> endpoint;
        if (event->endpoint) endpoint = tx.endpoints().find(*event->endpoint);
        if (event->version == held) {
            // A worker cannot settle an instance's claim.
            if (!held_by_worker(*event)) return not_held(*event, action);
            const Claimant by = std::get<Processing>(event->state).claimed_by.value();
            return Claim{.event = *event,
                         .endpoint = std::move(endpoint),
                         .by = by,
                         .started_at = event->updated_at,
                         .now = tx.now()};
        }
        // That attempt has ended. Its record shows how.
        const auto tries = tx.events().attempts_of(*id);
        const auto its = std::ranges::find_if(tries, [&](const AttemptRecord& attempt) {
            return attempt.held == held && attempt.instance && !attempt.instance->worker.empty();
        });
        if (its == tries.end()) return LeaseLost{*id, held};
        Claim claim{.event = *event,
                    .endpoint = std::move(endpoint),
                    .by = *its->instance,
                    .over = its->outcome,
                    .started_at = its->started_at,
                    .now = tx.now()};
        claim.event.version = held;
        claim.event.attempt = its->number;
        return claim;
    });
    if (!found && std::holds_alternative<LeaseLost>(found.error())) {
        ports_.store.conflicted(operation);
    }
    return found;
}

PullResult<Event> SettlePulled::complete(std::string_view event, Version held) {
    const auto claim = find(event, held, "complete");
    if (!claim) return claim.error();
    if (claim->ended(AttemptOutcome::succeeded)) return as_it_is(claim->event.id);
    Outcome outcome;
    outcome.verdict = Verdict::accepted;
    return settle(*claim, std::move(outcome));
}

PullResult<Event> SettlePulled::fail(std::string_view event, Version held,
                                     const WorkFailure& failure) {
    const auto claim = find(event, held, "fail");
    if (!claim) return claim.error();
    if (claim->ended(AttemptOutcome::retryable) || claim->ended(AttemptOutcome::permanent)) {
        return as_it_is(claim->event.id);
    }
    Outcome outcome;
    outcome.verdict = failure.retry ? Verdict::retryable : Verdict::permanent;
    outcome.error = DeliveryErrorCode::worker;
    outcome.error_text = storable_reason(failure.reason);
    return settle(*claim, std::move(outcome));
}

PullResult<Event> SettlePulled::settle(const Claim& claim, Outcome outcome) {
    const Event& event = claim.event;
    if (claim.over && !claim.ended(AttemptOutcome::lost)) {
        return lease_lost(event.id, event.version, "settle");
    }
    const Instant started_at = claim.started_at.value_or(claim.now);
    outcome.duration = claim.now - started_at;
    Destination destination;
    if (claim.endpoint) destination.retry_policy = claim.endpoint->retry_policy;
    Settlement settlement =
        settlement_of(event, destination, outcome, claim.by, started_at, ports_.random.unit());
    settlement.started_at = claim.started_at;
    if (settlement.attempt) settlement.attempt->started_at = claim.started_at;
    const auto answer = ports_.queue.settle({&settlement, 1}).at(0);
    if (answer && claim.endpoint) {
        const Instant first = event.first_attempt_at.value_or(started_at);
        ports_.observer.delivered(
            {event, &*claim.endpoint, outcome, started_at, first - target_of(event)});
    }
    const Settled settled{event, settlement, !answer.has_value()};
    report_settled({&settled, 1}, claim.now, ports_.log, ports_.observer);
    if (!answer) return answer.error();
    if (const auto* retry = std::get_if<RetryIn>(&settlement.result)) {
        ports_.wakeups.due_at(claim.now + retry->delay);
    }
    // The limit of its endpoint has room for another event.
    if (claim.endpoint && claim.endpoint->max_in_flight) ports_.wakeups.due_at(claim.now);
    return as_it_is(event.id);
}

PullResult<Event> SettlePulled::release(std::string_view event, Version held,
                                        std::optional<Instant> until) {
    const auto claim = find(event, held, "release");
    if (!claim) return claim.error();
    if (claim->ended(AttemptOutcome::released)) return as_it_is(claim->event.id);
    if (claim->over) return lease_lost(claim->event.id, held, "release");
    const std::chrono::microseconds now{0};
    const auto delay = until ? std::max(now, *until - claim->now) : now;
    const ReleasedClaim released{.id = claim->event.id,
                                 .held = held,
                                 .number = claim->event.attempt,
                                 .by = claim->by,
                                 .delay = delay,
                                 .reason = until ? "SNOOZED its worker asked for a later time"
                                                 : "RELEASED its worker released it"};
    if (auto answer = ports_.queue.release_claims({&released, 1}).at(0); !answer) {
        return answer.error();
    }
    ports_.wakeups.due_at(claim->now + delay);
    return as_it_is(claim->event.id);
}

PullResult<Event> SettlePulled::extend(std::string_view event, Version held,
                                       std::chrono::microseconds lease) {
    if (auto defect = refuse_work_lease(lease)) return ValidationFailed{{*std::move(defect)}};
    const auto claim = find(event, held, "extend");
    if (!claim) return claim.error();
    if (claim->over) return lease_lost(claim->event.id, held, "extend");
    const Held its{claim->event.id, held};
    if (!ports_.queue.extend({&its, 1}, lease).empty()) return LeaseLost{claim->event.id, held};
    return as_it_is(claim->event.id);
}

LeaseLost SettlePulled::lease_lost(EventId id, Version held, std::string_view operation) {
    ports_.store.conflicted(operation);
    return {id, held};
}

PullResult<Event> SettlePulled::as_it_is(EventId id) {
    return in_read(ports_.store, [&](Transaction& tx) -> PullResult<Event> {
        auto event = tx.events().find(id);
        if (!event) return NotFound{Noun::event, to_string(id)};
        return *std::move(event);
    });
}

}  // namespace sundial
