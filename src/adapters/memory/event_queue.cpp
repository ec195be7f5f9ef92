#include "adapters/memory/event_queue.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "adapters/memory/settling.hpp"
#include "adapters/memory/state.hpp"

namespace sundial::memory {
namespace {

/// Claimable events of one shard, oldest first in each priority.
std::array<std::vector<const Event*>, 4> ready(const State& state, std::uint32_t shard,
                                               Instant now) {
    std::array<std::vector<const Event*>, 4> found;
    for (const auto& [id, event] : state.live.rows()) {
        if (shard_of(id, state.shards) == shard && claimable(event, now)) {
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

AttemptRecord lost_try(const Event& event) {
    return {.event = event.id,
            .number = event.attempt,
            .outcome = AttemptOutcome::lost,
            .endpoint = event.endpoint,
            .started_at = std::nullopt,
            .status_code = std::nullopt,
            .error_code = {},
            .error_text = {},
            .response_body = {},
            .instance = std::get<Processing>(event.state).claimed_by};
}

}  // namespace

MemoryEventQueue::MemoryEventQueue(const MemoryStore& store) : state_{store.state_} {}
MemoryEventQueue::~MemoryEventQueue() = default;

std::uint32_t MemoryEventQueue::shards() const { return state_->shards; }

Horizon MemoryEventQueue::look() {
    const Turn turn{*state_};
    Horizon horizon{state_->clock.now(), std::vector<Instant>(state_->shards, never)};
    for (const auto& [id, event] : state_->live.rows()) {
        Instant& next = horizon.next[shard_of(id, state_->shards)];
        next = std::min(next, event.claimable_at);
    }
    return horizon;
}

Claimed MemoryEventQueue::claim_ready(const ClaimRequest& request) {
    Turn turn{*state_};
    Claimed claimed{{}, state_->clock.now()};
    const auto found = ready(*state_, request.shard, claimed.now);
    for (std::size_t priority = 0; priority < found.size(); ++priority) {
        const auto& events = found[priority];
        const auto count = std::min<std::size_t>(request.shares[priority], events.size());
        for (std::size_t i = 0; i < count; ++i) {
            const Event& before = *events[i];
            const bool rescued = is_claimed(before);
            if (rescued) state_->attempts.insert({before.id, before.attempt}, lost_try(before));
            Event event = claim(before, request.by, claimed.now, request.lease).value();
            state_->live.replace(event.id, event);
            if (state_->obstacles.find(event.id)) state_->obstacles.erase(event.id);
            claimed.events.push_back({std::move(event), rescued});
        }
    }
    turn.commit();
    return claimed;
}

std::vector<Result<void>> MemoryEventQueue::settle(std::span<const Settlement> settlements) {
    Turn turn{*state_};
    std::vector<Result<void>> answers;
    for (const Settlement& settlement : settlements) {
        answers.push_back(memory::settle(*state_, settlement));
    }
    turn.commit();
    return answers;
}

std::vector<Result<void>> MemoryEventQueue::give_back(std::span<const GivenBack> given_back) {
    Turn turn{*state_};
    std::vector<Result<void>> answers;
    for (const GivenBack& one : given_back) answers.push_back(memory::give_back(*state_, one));
    turn.commit();
    return answers;
}

std::vector<EventId> MemoryEventQueue::extend(std::span<const Held> held,
                                              std::chrono::microseconds lease) {
    Turn turn{*state_};
    std::vector<EventId> lost;
    for (const Held& claim : held) {
        const Event* event = state_->live.find(claim.id);
        if (!event || event->version != claim.held || !is_claimed(*event)) {
            lost.push_back(claim.id);
            continue;
        }
        state_->live.change(claim.id,
                            [&](Event& row) { row.claimable_at = state_->clock.now() + lease; });
    }
    turn.commit();
    return lost;
}

Backlog MemoryEventQueue::backlog() {
    const Turn turn{*state_};
    const Instant now = state_->clock.now();
    Backlog backlog;
    for (const auto& [id, event] : state_->live.rows()) {
        if (!claimable(event, now) || now - event.claimable_at <= late_after) continue;
        const bool first = backlog.missed++ == 0;
        backlog.oldest = first ? event.due : std::min(backlog.oldest, event.due);
        backlog.newest = first ? event.due : std::max(backlog.newest, event.due);
    }
    return backlog;
}

QueueDepth MemoryEventQueue::depth() {
    const Turn turn{*state_};
    const Instant now = state_->clock.now();
    QueueDepth depth;
    for (const auto& [id, event] : state_->live.rows()) {
        ++depth.stored[static_cast<std::size_t>(status_of(event))];
        if (claimable(event, now)) {
            ++depth.due;
            depth.oldest_due_age = std::max(depth.oldest_due_age, now - event.claimable_at);
        }
        if (event.claimable_at == never) {
            ++(status_of(event) == EventStatus::pending ? depth.waiting_for_schedule
                                                        : depth.waiting_for_endpoint);
        } else if (status_of(event) == EventStatus::processing && !is_claimed(event)) {
            const Obstacle* obstacle = state_->obstacles.find(id);
            ++(!obstacle                        ? depth.waiting_for_retry
               : *obstacle == Obstacle::circuit ? depth.waiting_for_circuit
                                                : depth.waiting_for_limit);
        }
    }
    for (const auto& [id, finished] : state_->history.rows()) {
        ++depth.stored[static_cast<std::size_t>(status_of(finished.event))];
        if (status_of(finished.event) == EventStatus::failed && !finished.event.dismissed_at) {
            ++depth.dead_letters;
        }
    }
    return depth;
}

}  // namespace sundial::memory
