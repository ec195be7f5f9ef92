#include "adapters/memory/event_queue.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
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
    std::map<std::tuple<Line, std::uint32_t, Priority>, Instant> first;
    for (const auto& [id, event] : state_->live.rows()) {
        if (is_pull(*state_, event)) continue;
        const std::uint32_t shard = shard_of(id, state_->shards);
        if (const Line* line = state_->lines.find(id)) {
            const auto [head, fresh] =
                first.try_emplace({*line, shard, event.priority}, event.claimable_at);
            head->second = std::min(head->second, event.claimable_at);
            continue;
        }
        Instant& next = peeked.next[shard];
        next = std::min(next, event.claimable_at);
    }
    for (const auto& [key, next] : first) {
        const auto& [line, shard, priority] = key;
        peeked.lines.push_back({line, shard, priority, next});
    }
    for (const auto& [id, endpoint] : state_->endpoints.rows()) {
        const bool limited = endpoint.rate_limit || endpoint.max_in_flight;
        if (limited && endpoint.type != EndpointType::pull) peeked.limited.push_back(id);
    }
    peeked.handled = announced();
    return peeked;
}

Claimed MemoryEventQueue::claim_ready(const ClaimRequest& request) {
    Turn turn{*state_};
    const auto wanted = [&](const Event& event) {
        return !is_pull(*state_, event) && !state_->lines.find(event.id) &&
               shard_of(event.id, state_->shards) == request.shard;
    };
    Claimed claimed = claim_wanted(
        *state_,
        {request.by, request.shares, request.lease, request.limited, request.types_of_others},
        wanted);
    turn.commit();
    return claimed;
}

Claimed MemoryEventQueue::claim_from_line(const LineRequest& request) {
    Turn turn{*state_};
    const auto wanted = [&](const Event& event) {
        const Line* line = state_->lines.find(event.id);
        return line && *line == request.line && shard_of(event.id, state_->shards) == request.shard;
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

void MemoryEventQueue::announce(InstanceId by, std::span<const std::string> event_types,
                                std::chrono::microseconds valid) {
    Turn turn{*state_};
    if (state_->announced.find(by)) state_->announced.erase(by);
    state_->announced.insert(
        by, {{event_types.begin(), event_types.end()}, state_->clock.now() + valid});
    turn.commit();
}

std::vector<std::string> MemoryEventQueue::announced() {
    const Turn turn{*state_};
    std::set<std::string> all;
    for (const auto& [instance, announced] : state_->announced.rows()) {
        if (announced.until <= state_->clock.now()) continue;
        all.insert(announced.event_types.begin(), announced.event_types.end());
    }
    return {all.begin(), all.end()};
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
        const bool waits_for_limit = state_->lines.find(id) && event.endpoint;
        if (claimable(event, now) && !waits_for_limit) {
            ++depth.due;
            depth.oldest_due_age = std::max(depth.oldest_due_age, now - event.claimable_at);
        }
        if (waits_for_limit) {
            ++depth.waiting_for_limit;
        } else if (state_->lines.find(id)) {
            continue;  // due, for an instance with a handler
        } else if (event.claimable_at == never) {
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
