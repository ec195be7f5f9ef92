#include "adapters/memory/event_queue.hpp"

#include <algorithm>
#include <utility>

#include "adapters/memory/claiming.hpp"
#include "adapters/memory/settling.hpp"
#include "adapters/memory/state.hpp"

namespace sundial::memory {

MemoryEventQueue::MemoryEventQueue(const MemoryStore& store) : state_{store.state_} {}
MemoryEventQueue::~MemoryEventQueue() = default;

std::uint32_t MemoryEventQueue::shards() const { return state_->shards; }

QueuePeek MemoryEventQueue::peek() {
    const Turn turn{*state_};
    QueuePeek peeked{state_->clock.now(), std::vector<Instant>(state_->shards, never)};
    for (const auto& [id, event] : state_->live.rows()) {
        if (is_pull(*state_, event)) continue;
        Instant& next = peeked.next[shard_of(id, state_->shards)];
        next = std::min(next, event.claimable_at);
    }
    return peeked;
}

Claimed MemoryEventQueue::claim_ready(const ClaimRequest& request) {
    Turn turn{*state_};
    const auto wanted = [&](const Event& event) {
        return !is_pull(*state_, event) && shard_of(event.id, state_->shards) == request.shard;
    };
    Claimed claimed = claim_wanted(*state_, {request.by, request.shares, request.lease}, wanted);
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

std::vector<Result<void>> MemoryEventQueue::release_claims(
    std::span<const ReleasedClaim> released) {
    Turn turn{*state_};
    std::vector<Result<void>> answers;
    for (const ReleasedClaim& one : released)
        answers.push_back(memory::release_claims(*state_, one));
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
        if (is_pull(*state_, event)) continue;
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
