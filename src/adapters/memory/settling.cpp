#include "adapters/memory/settling.hpp"

#include <utility>

#include "application/ports/outcome_of_claim.hpp"

namespace sundial::memory {
namespace {

/// The row if it is unchanged since the claim.
const Event* still_held(const State& state, EventId id, Version held) {
    const Event* event = state.live.find(id);
    return event && event->version == held && is_claimed(*event) ? event : nullptr;
}

/// Whether the same holder has recorded this attempt as `outcome`.
bool recorded(const State& state, AttemptKey key, AttemptOutcome outcome, const Claimant& by) {
    const AttemptRecord* attempt = state.attempts.find(key);
    return attempt && attempt->outcome == outcome && attempt->instance == by;
}

/// Whether the settlement had already happened and its answer was lost.
bool had_happened(const State& state, const Settlement& settlement) {
    if (std::holds_alternative<RetryIn>(settlement.result)) {
        return recorded(state, {settlement.id, settlement.number}, AttemptOutcome::retryable,
                        settlement.by);
    }
    const FinishedEvent* finished = state.history.find(settlement.id);
    return finished && finished->event.attempt == settlement.number &&
           finished->last_attempt.settled_by == settlement.by;
}

/// Records the actual result of a LOST attempt, unless the attempt was never sent because no
/// attempts remained.
void record_late_result(State& state, const Settlement& settlement) {
    if (std::holds_alternative<Refused>(settlement.result) && !settlement.attempt) return;
    const AttemptKey key{settlement.id, settlement.number};
    const AttemptRecord* lost = state.attempts.find(key);
    if (!lost || lost->outcome != AttemptOutcome::lost) return;
    AttemptRecord late = settlement.attempt.value_or(*lost);
    late.outcome = AttemptOutcome::late;
    late.started_at = settlement.started_at;
    late.duration = settlement.duration;
    late.status_code = settlement.status_code;
    late.held = settlement.held;
    state.attempts.replace(key, std::move(late));
}

}  // namespace

Result<void> settle(State& state, const Settlement& settlement) {
    const Event* event = still_held(state, settlement.id, settlement.held);
    if (!event) {
        if (had_happened(state, settlement)) return {};
        record_late_result(state, settlement);
        return LeaseLost{settlement.id, settlement.held};
    }
    Event next = settled(*event, settlement, state.clock.now());
    if (settlement.attempt) {
        AttemptRecord attempt = *settlement.attempt;
        attempt.held = settlement.held;
        state.attempts.insert({settlement.id, settlement.number}, std::move(attempt));
    }
    if (!is_final(next)) {
        state.live.replace(settlement.id, std::move(next));
        return {};
    }
    state.live.erase(settlement.id);
    state.history.insert(settlement.id, {std::move(next),
                                         {settlement.by, settlement.started_at, settlement.duration,
                                          settlement.status_code}});
    return {};
}

Result<void> release_claims(State& state, const ReleasedClaim& released) {
    const Event* event = still_held(state, released.id, released.held);
    const AttemptKey key{released.id, released.number};
    if (!event) {
        if (recorded(state, key, AttemptOutcome::released, released.by)) return {};
        return LeaseLost{released.id, released.held};
    }
    const Instant now = state.clock.now();
    Event next = release(*event, now, released.delay ? now + *released.delay : never).value();
    state.attempts.insert(key, released_attempt(*event, released));
    state.live.replace(released.id, std::move(next));
    if (released.obstacle) state.obstacles.insert(released.id, *released.obstacle);
    if (released.line) state.lines.insert(released.id, *released.line);
    return {};
}

}  // namespace sundial::memory
