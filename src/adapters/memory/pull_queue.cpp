#include "adapters/memory/pull_queue.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "adapters/memory/claiming.hpp"

namespace sundial::memory {

MemoryPullQueue::MemoryPullQueue(const MemoryStore& store) : state_{store.state_} {}
MemoryPullQueue::~MemoryPullQueue() = default;

PullPeek MemoryPullQueue::peek(std::span<const EndpointId> endpoints) {
    const Turn turn{*state_};
    std::map<std::tuple<EndpointId, std::uint32_t, Priority>, Instant> first;
    for (const auto& [id, event] : state_->live.rows()) {
        if (!is_pull(*state_, event) || event.claimable_at == never) continue;
        if (std::ranges::find(endpoints, *event.endpoint) == endpoints.end()) continue;
        const auto [head, fresh] = first.try_emplace(
            {*event.endpoint, shard_of(id, state_->shards), event.priority}, event.claimable_at);
        head->second = std::min(head->second, event.claimable_at);
    }
    PullPeek peeked{state_->clock.now(), {}};
    for (const auto& [key, next] : first) {
        const auto& [endpoint, shard, priority] = key;
        peeked.heads.push_back({endpoint, shard, priority, next});
    }
    return peeked;
}

Claimed MemoryPullQueue::claim(const PullRequest& request) {
    Turn turn{*state_};
    const auto wanted = [&](const Event& event) {
        return event.endpoint == request.endpoint && is_pull(*state_, event) &&
               shard_of(event.id, state_->shards) == request.shard;
    };
    Claimed claimed = claim_wanted(*state_, {request.by, request.shares, request.lease}, wanted);
    turn.commit();
    return claimed;
}

std::uint32_t MemoryPullQueue::held(EndpointId endpoint) {
    const Turn turn{*state_};
    const Instant now = state_->clock.now();
    return static_cast<std::uint32_t>(
        std::ranges::count_if(state_->live.rows(), [&](const auto& row) {
            const Event& event = row.second;
            return event.endpoint == endpoint && is_claimed(event) && event.claimable_at > now;
        }));
}

}  // namespace sundial::memory
