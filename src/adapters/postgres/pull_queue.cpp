#include "adapters/postgres/pull_queue.hpp"

#include "adapters/postgres/claiming.hpp"
#include "adapters/postgres/statements.hpp"

namespace sundial::postgres {

PullPeek PostgresPullQueue::peek(std::span<const EndpointId> endpoints) {
    const std::vector<EndpointId> ids{endpoints.begin(), endpoints.end()};
    const Call peek{sql::peek_to_pull, ids, database_.shards()};
    const auto answered = database_.run("look", Database::Effect::none, {&peek, 1});
    const Answer& rows = answered.answers.front();
    PullPeek peeked{answered.now, {}};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        peeked.heads.push_back({.endpoint = rows.get<EndpointId>(row, 0),
                                .shard = rows.get<std::uint32_t>(row, 1),
                                .priority = static_cast<Priority>(rows.get<std::int32_t>(row, 2)),
                                .next = rows.get<Instant>(row, 3)});
    }
    return peeked;
}

Claimed PostgresPullQueue::claim(const PullRequest& request) {
    const auto [priorities, shares] = wanted_of(request.shares);
    const Call claim{sql::claim_to_pull,
                     static_cast<std::int16_t>(request.shard),
                     priorities,
                     shares,
                     request.by.instance,
                     request.lease,
                     request.endpoint,
                     request.by.worker,
                     database_.trusted_server(request.lease)};
    return claimed_in(database_.run("claim", Database::Effect::once, {&claim, 1}));
}

std::uint32_t PostgresPullQueue::held(EndpointId endpoint) {
    const Call count{sql::held_by_workers, endpoint, database_.shards()};
    const auto answered = database_.run("look", Database::Effect::none, {&count, 1});
    return static_cast<std::uint32_t>(answered.answers.front().get<std::int64_t>(0, 0));
}

}  // namespace sundial::postgres
