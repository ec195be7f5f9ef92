#include "application/ports/event_queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/store.hpp"
#include "application/ports/pull_queue.hpp"

namespace sundial::memory {
namespace {

struct Claiming {
    Claimant by;
    std::array<std::uint32_t, 4> shares;
    std::chrono::microseconds lease;
    std::span<const EndpointId> limited{};  // as in ClaimRequest
    DeadInstances dead{};
};

using Ready = std::array<std::vector<const Event*>, 4>;

/// Oldest first in each priority.
Ready ready(const State& state, Instant now, const DeadInstances& dead,
            const std::function<bool(const Event&)>& matches) {
    Ready found;
    for (const auto& [id, event] : state.live.rows()) {
        if ((claimable(event, now) || is_left_behind(event, dead)) && matches(event)) {
            found[static_cast<std::size_t>(event.priority)].push_back(&event);
        }
    }
    for (auto& events : found) {
        std::sort(events.begin(), events.end(), [](const Event* a, const Event* b) {
            return std::tie(a->claimable_at, a->id) < std::tie(b->claimable_at, b->id);
        });
    }
    return found;
}

/// When the event becomes claimable.
Instant claimable_from(const Event& event, const DeadInstances& dead) {
    return is_left_behind(event, dead) ? event.updated_at : event.claimable_at;
}

/// Whether only the pull workers of its endpoint may claim the event.
bool is_pull(const State& state, const Event& event) {
    const Endpoint* endpoint = event.endpoint ? state.endpoints.find(*event.endpoint) : nullptr;
    return endpoint && is_pulled(*endpoint);
}

/// Claims the claimable events for which `matches` holds, oldest first in each priority. Unclaimed
/// events of limited endpoints join their lines instead.
Claimed claim_matching(State& state, const Claiming& claiming,
                       const std::function<bool(const Event&)>& matches) {
    Claimed claimed{{}, state.clock.now()};
    const Ready found = ready(state, claimed.now, claiming.dead, matches);
    for (std::size_t priority = 0; priority < found.size(); ++priority) {
        const auto& events = found[priority];
        const auto count = std::min<std::size_t>(claiming.shares[priority], events.size());
        for (std::size_t i = 0; i < count; ++i) {
            const Event& before = *events[i];
            if (joins_line(before, claiming.limited)) {
                claimed.lined_up.push_back({before.endpoint.value(),
                                            shard_of(before.id, state.shards), before.priority,
                                            before.claimable_at});
                state.live.change(before.id, [](Event& row) { row.obstacle = Obstacle::limit; });
                continue;
            }
            const bool previous_lost = is_claimed(before);
            if (previous_lost)
                state.attempts.insert({before.id, before.attempt},
                                      {lost_attempt(before), claimed.now});
            Event event = claim(before, claiming.by, claimed.now, claiming.lease,
                                is_left_behind(before, claiming.dead))
                              .value();
            state.live.replace(event.id, event);
            claimed.events.push_back({std::move(event), previous_lost});
        }
    }
    return claimed;
}

/// The row if it is unchanged since the claim.
const Event* still_held(const State& state, EventId id, Version held) {
    const Event* event = state.live.find(id);
    return event && event->version == held && is_claimed(*event) ? event : nullptr;
}

/// Whether the same holder has recorded this attempt as `outcome`.
bool recorded(const State& state, AttemptKey key, AttemptOutcome outcome, const Claimant& by) {
    const AttemptRow* attempt = state.attempts.find(key);
    return attempt && attempt->record.outcome == outcome && attempt->record.instance == by;
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
    const AttemptRow* lost = state.attempts.find(key);
    if (!lost || lost->record.outcome != AttemptOutcome::lost) return;
    AttemptRecord late = settlement.attempt.value_or(lost->record);
    late.outcome = AttemptOutcome::late;
    late.started_at = settlement.started_at;
    late.duration = settlement.duration;
    late.status_code = settlement.status_code;
    late.held = settlement.held;
    state.attempts.replace(key, {std::move(late), state.clock.now()});
}

/// Settles one claim, as EventQueue::settle does.
Result<void, LeaseLost> settle(State& state, const Settlement& settlement) {
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
        state.attempts.insert({settlement.id, settlement.number},
                              {std::move(attempt), state.clock.now()});
    }
    if (!is_final(next)) {
        state.live.replace(settlement.id, std::move(next));
        return {};
    }
    state.live.erase(settlement.id);
    state.finish(
        {std::move(next),
         {settlement.by, settlement.started_at, settlement.duration, settlement.status_code}});
    return {};
}

/// Releases one claim, as EventQueue::release_claims does.
Result<void, LeaseLost> release_claims(State& state, const ReleasedClaim& released) {
    const Event* event = still_held(state, released.id, released.held);
    const AttemptKey key{released.id, released.number};
    if (!event) {
        const Event* row = state.live.find(released.id);
        if (row && is_undone(*row, released.held)) return {};
        if (recorded(state, key, AttemptOutcome::released, released.by)) return {};
        return LeaseLost{released.id, released.held};
    }
    const Instant now = state.clock.now();
    const Instant until = released.delay ? now + *released.delay : never;
    Event next = release(*event, now, until, released.obstacle).value();
    if (released.obstacle != Obstacle::limit) {
        state.attempts.insert(key, {released_attempt(*event, released), now});
    }
    state.live.replace(released.id, std::move(next));
    return {};
}

std::uint64_t& waiting_in(QueueDepth& depth, WaitReason reason) {
    switch (reason) {
        case WaitReason::retry:
            return depth.waiting_for_retry;
        case WaitReason::circuit:
            return depth.waiting_for_circuit;
        case WaitReason::limit:
            return depth.waiting_for_limit;
        case WaitReason::endpoint:
            return depth.waiting_for_endpoint;
        case WaitReason::schedule:
            break;
    }
    return depth.waiting_for_schedule;
}

/// The live events of a MemoryStore, claimed and settled by the rules of the domain.
class MemoryEventQueue final : public EventQueue {
public:
    explicit MemoryEventQueue(State& state) : state_{state} {}
    [[nodiscard]] std::uint32_t shards() const override { return state_.shards; }
    [[nodiscard]] std::uint32_t claims_at_once() const override { return 8; }

    QueuePeek peek(std::span<const Lane> lanes, const DeadInstances& dead) override {
        const Turn turn{state_};
        QueuePeek peeked{state_.clock.now(),
                         std::vector<Instant>(lanes.size() * state_.shards, never)};
        peeked.lanes.assign(lanes.begin(), lanes.end());
        std::map<std::tuple<EndpointId, std::uint32_t, Priority>, Instant> first;
        for (const auto& [id, event] : state_.live.rows()) {
            if (is_pull(state_, event)) continue;
            const std::uint32_t shard = shard_of(id, state_.shards);
            const Instant claimable = claimable_from(event, dead);
            const auto lower = [&](Instant& next) { next = std::min(next, claimable); };
            if (in_line(event)) {
                lower(first.try_emplace({event.endpoint.value(), shard, event.priority}, never)
                          .first->second);
            } else if (const auto lane = std::ranges::find(lanes, lane_of(event));
                       lane != lanes.end()) {
                const auto place = static_cast<std::size_t>(lane - lanes.begin());
                lower(peeked.next[place * state_.shards + shard]);
            }
        }
        for (const auto& [key, next] : first) {
            const auto& [endpoint, shard, priority] = key;
            peeked.lines.push_back({endpoint, shard, priority, next});
        }
        for (const auto& [id, endpoint] : state_.endpoints.rows()) {
            const bool limited = endpoint.rate_limit || endpoint.max_in_flight;
            if (limited && !is_pulled(endpoint)) peeked.limited.push_back(id);
        }
        return peeked;
    }

    std::vector<Claimed> claim_ready(std::span<const ClaimRequest> requests) override {
        Turn turn{state_};
        std::vector<Claimed> all;
        for (const ClaimRequest& one : requests) {
            const auto matches = [&](const Event& event) {
                return !is_pull(state_, event) && !in_line(event) && lane_of(event) == one.lane &&
                       shard_of(event.id, state_.shards) == one.shard;
            };
            Claimed& claimed = all.emplace_back(claim_matching(
                state_, {one.by, one.shares, one.lease, one.limited, one.dead}, matches));
            if (!one.with_next) continue;
            Instant next = never;
            for (const auto& [id, event] : state_.live.rows()) {
                if (matches(event)) next = std::min(next, claimable_from(event, one.dead));
            }
            claimed.next = next;
        }
        turn.commit();
        return all;
    }

    Claimed claim_from_line(const LineRequest& request) override {
        Turn turn{state_};
        const auto matches = [&](const Event& event) {
            return in_line(event) && event.endpoint == request.endpoint &&
                   shard_of(event.id, state_.shards) == request.shard;
        };
        Claimed claimed =
            claim_matching(state_, {request.by, request.shares, request.lease}, matches);
        turn.commit();
        return claimed;
    }

    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements) override {
        Turn turn{state_};
        std::vector<Result<void, LeaseLost>> answers;
        for (const Settlement& settlement : settlements) {
            answers.push_back(memory::settle(state_, settlement));
        }
        turn.commit();
        return answers;
    }

    std::vector<Result<void, LeaseLost>> release_claims(
        std::span<const ReleasedClaim> released) override {
        Turn turn{state_};
        std::vector<Result<void, LeaseLost>> answers;
        for (const ReleasedClaim& one : released)
            answers.push_back(memory::release_claims(state_, one));
        turn.commit();
        return answers;
    }

    std::vector<EventId> extend(std::span<const Held> held,
                                std::chrono::microseconds lease) override {
        Turn turn{state_};
        std::vector<EventId> lost;
        for (const Held& claim : held) {
            const Event* event = state_.live.find(claim.id);
            if (!event || event->version != claim.held || !is_claimed(*event)) {
                lost.push_back(claim.id);
                continue;
            }
            state_.live.change(claim.id,
                               [&](Event& row) { row.claimable_at = state_.clock.now() + lease; });
        }
        turn.commit();
        return lost;
    }

    Backlog backlog(std::span<const Lane> lanes) override {
        const Turn turn{state_};
        const Instant now = state_.clock.now();
        Backlog backlog;
        for (const auto& [id, event] : state_.live.rows()) {
            const bool held = is_claimed(event) && event.claimable_at > now;
            if (held || !missed(event, now - late_after) || !is_in(lanes, event)) continue;
            const bool first = backlog.missed++ == 0;
            backlog.oldest = first ? event.due : std::min(backlog.oldest, event.due);
            backlog.newest = first ? event.due : std::max(backlog.newest, event.due);
        }
        return backlog;
    }

    std::optional<Instant> first_missed(Instant from, Instant until,
                                        std::span<const Lane> lanes) override {
        const Turn turn{state_};
        std::optional<Instant> first;
        for (const auto& [id, event] : state_.live.rows()) {
            if (event.due < from || !missed(event, until) || !is_in(lanes, event)) continue;
            first = std::min(first.value_or(event.due), event.due);
        }
        return first;
    }

    QueueDepth depth() override {
        const Turn turn{state_};
        const Instant now = state_.clock.now();
        QueueDepth depth;
        for (const auto& [id, event] : state_.live.rows()) {
            ++depth.stored[static_cast<std::size_t>(status_of(event))];
            if (claimable(event, now) && !event.endpoint) {
                ++depth.without_endpoint;
            } else if (claimable(event, now) && !in_line(event)) {
                ++depth.due;
                depth.oldest_due_age = std::max(depth.oldest_due_age, now - event.claimable_at);
            }
            if (const auto reason = waiting_for(event)) ++waiting_in(depth, *reason);
        }
        for (const auto& [id, finished] : state_.history.rows()) {
            ++depth.stored[static_cast<std::size_t>(status_of(finished.event))];
            if (status_of(finished.event) == EventStatus::failed && !finished.event.dismissed_at) {
                ++depth.dead_letters;
            }
        }
        return depth;
    }

    std::optional<Renewal> renew(InstanceId own) override {
        Turn turn{state_};
        const Instant now = state_.clock.now();
        const Heartbeat* before = state_.heartbeats.find(own);
        const Heartbeat mine = renewed(before ? std::optional{*before} : std::nullopt, now);
        Renewal renewal{.dead = {{}, now}};
        std::vector<InstanceId> forgotten;
        for (const auto& [id, heartbeat] : state_.heartbeats.rows()) {
            if (id == own) continue;
            const Instant dead_at = found_dead_at(mine, heartbeat);
            if (heartbeat.renewed_at < now - remembered_for) {
                forgotten.push_back(id);
            } else if (dead_at <= now) {
                renewal.dead.ids.push_back(id);
            } else {
                renewal.alive.push_back(id);
                renewal.next_death =
                    std::min(renewal.next_death.value_or(dead_at - now), dead_at - now);
            }
        }
        for (const InstanceId id : forgotten) state_.heartbeats.erase(id);
        if (before) {
            state_.heartbeats.replace(own, mine);
        } else {
            state_.heartbeats.insert(own, mine);
        }
        turn.commit();
        return renewal;
    }

    void retire(InstanceId own) override {
        Turn turn{state_};
        if (state_.heartbeats.find(own)) state_.heartbeats.erase(own);
        turn.commit();
    }

private:
    [[nodiscard]] bool is_in(std::span<const Lane> lanes, const Event& event) const {
        return !is_pull(state_, event) && std::ranges::find(lanes, lane_of(event)) != lanes.end();
    }

    State& state_;
};

}  // namespace

std::unique_ptr<EventQueue> make_event_queue(State& state) {
    return std::make_unique<MemoryEventQueue>(state);
}

namespace {

/// The live events of a MemoryStore's PULL endpoints.
class MemoryPullQueue final : public PullQueue {
public:
    explicit MemoryPullQueue(State& state) : state_{state} {}

    PullPeek peek(std::span<const EndpointId> endpoints) override {
        const Turn turn{state_};
        std::map<std::tuple<EndpointId, std::uint32_t, Priority>, Instant> first;
        for (const auto& [id, event] : state_.live.rows()) {
            if (!is_pull(state_, event) || event.claimable_at == never) continue;
            if (std::ranges::find(endpoints, *event.endpoint) == endpoints.end()) continue;
            const auto [head, fresh] = first.try_emplace(
                {*event.endpoint, shard_of(id, state_.shards), event.priority}, event.claimable_at);
            head->second = std::min(head->second, event.claimable_at);
        }
        PullPeek peeked{state_.clock.now(), {}};
        for (const auto& [key, next] : first) {
            const auto& [endpoint, shard, priority] = key;
            peeked.heads.push_back({endpoint, shard, priority, next});
        }
        return peeked;
    }

    Claimed claim(const PullRequest& request) override {
        Turn turn{state_};
        const auto matches = [&](const Event& event) {
            return event.endpoint == request.endpoint && is_pull(state_, event) &&
                   shard_of(event.id, state_.shards) == request.shard;
        };
        Claimed claimed =
            claim_matching(state_, {request.by, request.shares, request.lease}, matches);
        turn.commit();
        return claimed;
    }

    std::uint32_t held(EndpointId endpoint) override {
        const Turn turn{state_};
        const Instant now = state_.clock.now();
        return static_cast<std::uint32_t>(
            std::ranges::count_if(state_.live.rows(), [&](const auto& row) {
                const Event& event = row.second;
                return event.endpoint == endpoint && is_claimed(event) && event.claimable_at > now;
            }));
    }

private:
    State& state_;
};

}  // namespace

std::unique_ptr<PullQueue> make_pull_queue(State& state) {
    return std::make_unique<MemoryPullQueue>(state);
}

}  // namespace sundial::memory
