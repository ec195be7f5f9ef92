#include "simulation/scale/cluster.hpp"

#include <algorithm>
#include <iterator>

#include "support/builders.hpp"

namespace sundial::simulation {

Cost Machine::Core::free_at(Cost at, Cost work) const {
    auto next = spans.upper_bound(at);
    Cost start = next == spans.begin() ? at : std::max(at, std::prev(next)->second);
    for (; next != spans.end() && next->first < start + work; ++next) start = next->second;
    return start;
}

void Machine::Core::take(Cost start, Cost work) {
    auto span = spans.emplace(start, start + work).first;
    if (const auto next = std::next(span); next != spans.end() && next->first == span->second) {
        span->second = next->second;
        spans.erase(next);
    }
    if (span == spans.begin()) return;
    if (const auto before = std::prev(span); before->second == start) {
        before->second = span->second;
        spans.erase(span);
    }
}

Cost Machine::run(Cost at, Cost work) {
    const auto start_on = [&](const Core& core) { return core.free_at(at, work); };
    Core& core = *std::ranges::min_element(cores_, {}, start_on);
    const Cost start = start_on(core);
    if (work > Cost{0}) core.take(start, work);
    busy_ += work;
    return start + work;
}

Instant Cluster::instant(Cost at) {
    return noon + std::chrono::ceil<std::chrono::microseconds>(at);
}

Cluster::Cluster(const ScaleSettings& settings)
    : settings_(settings),
      nodes_(settings.nodes, Machine{settings.node_cores}),
      waiting_(settings.shards) {
    done_.reserve(settings.events);
    for (std::size_t i = 0; i < settings.events; ++i) {
        const Cost due =
            settings.spread * static_cast<double>(i) / static_cast<double>(settings.events);
        const EventId id{uuid_of(i)};
        const Event event = EventBuilder().with_id(id).due(instant(due));
        waiting_[shard_of(id, static_cast<std::uint32_t>(settings.shards))].emplace(instant(due),
                                                                                    id);
        rows_.emplace(id, Row{event, due});
    }
}

Cost Cluster::busy() const {
    Cost sum{0};
    for (const Machine& node : nodes_) sum += node.busy();
    return sum;
}

QueuePeek Cluster::peek(Cost& answered) {
    QueuePeek peeked{instant(answered), std::vector<Instant>(waiting_.size(), never)};
    for (std::size_t shard = 0; shard < waiting_.size(); ++shard) {
        if (!waiting_[shard].empty()) peeked.next[shard] = waiting_[shard].begin()->first;
    }
    const Cost asked = answered;
    const StatementCost& cost = settings_.costs.peek;
    for (Machine& node : nodes_) {
        answered = std::max(answered, node.run(asked, cost.of(waiting_.size() / nodes_.size())));
    }
    answered += settings_.costs.network * (nodes_.size() > 1 ? 2 : 1);  // the nodes in parallel
    return peeked;
}

Cost Cluster::commit() const {
    return settings_.costs.commit + settings_.costs.network * (nodes_.size() > 1 ? 2 : 0);
}

std::vector<Claimed> Cluster::claim(std::span<const ClaimRequest> requests, Cost& answered) {
    std::vector<Claimed> all;
    for (const ClaimRequest& request : requests) all.push_back(claim_part(request, answered));
    ++claims_;
    answered += commit() + settings_.costs.network;
    return all;
}

/// Reports no next instant, as on several nodes. So the peeks of one node are an upper bound.
Claimed Cluster::claim_part(const ClaimRequest& request, Cost& answered) {
    const Instant now = instant(answered);
    Claimed claimed{{}, now};
    auto& shard = waiting_[request.shard];
    const std::size_t limit = request.shares[static_cast<std::size_t>(Priority::normal)];
    while (claimed.events.size() < limit && !shard.empty() && shard.begin()->first <= now) {
        Event& event = rows_.at(shard.begin()->second).event;
        shard.erase(shard.begin());
        ++event.version.value;
        ++event.attempt.value;
        event.state = Processing{Claimant{request.by, ""}};
        event.claimable_at = now + request.lease;
        claimed.events.push_back({event, false});
    }
    answered =
        node_of(request.shard).run(answered, settings_.costs.claim.of(claimed.events.size()));
    return claimed;
}

std::vector<Result<void, LeaseLost>> Cluster::settle(std::span<const Settlement> settlements,
                                                     Cost& answered) {
    std::map<std::uint32_t, std::size_t> by_shard;
    for (const Settlement& one : settlements) {
        ++by_shard[shard_of(one.id, static_cast<std::uint32_t>(waiting_.size()))];
    }
    const StatementCost& cost = settings_.costs.settle;
    const Cost asked = answered;
    if (nodes_.size() == 1) {  // one transaction
        for (const auto& [shard, count] : by_shard) {
            answered = std::max(answered, node_of(shard).run(asked, cost.of(count)));
        }
        answered += commit();
    } else {  // one for each shard; a session runs its own one after another
        const std::size_t sessions =
            std::clamp<std::size_t>(by_shard.size() / 2, 1, settings_.sessions);
        std::vector<Cost> free_at(sessions, asked);
        std::size_t number = 0;
        for (const auto& [shard, count] : by_shard) {
            Cost& session = free_at[number++ * sessions / by_shard.size()];
            session = node_of(shard).run(session, cost.of(count)) + commit();
        }
        answered = std::ranges::max(free_at);
    }
    answered += settings_.costs.network;
    std::vector<Result<void, LeaseLost>> answers(settlements.size());
    for (const Settlement& one : settlements) {
        const auto row = rows_.find(one.id);
        const Cost started{static_cast<double>((one.started_at.value() - noon).count())};
        done_.push_back({row->second.due, started, answered});
        rows_.erase(row);
    }
    return answers;
}

}  // namespace sundial::simulation
