#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "contract/storage.hpp"

namespace sundial {

/// The workers of PULL endpoints get the events of their endpoint, and no other claimer does.
class PullQueueContract : public StorageTest {
protected:
    PullQueueContract() {
        write([&](Transaction& tx) {
            for (const Endpoint& endpoint : {ours, theirs, webhook}) {
                ASSERT_TRUE(tx.endpoints().add(endpoint).has_value());
            }
        });
    }

    static Claimant worker(std::string name) { return {instance_a, std::move(name)}; }

    /// Claims at most `each` of every priority, in all shards.
    std::vector<ClaimedEvent> pull(const Claimant& by, std::uint32_t each = 100) {
        return pull_of(ours, by, {each, each, each, each});
    }
    std::vector<ClaimedEvent> pull_of(const Endpoint& endpoint, const Claimant& by,
                                      std::array<std::uint32_t, 4> shares) {
        std::vector<ClaimedEvent> all;
        for (std::uint32_t shard = 0; shard < queue().shards(); ++shard) {
            auto claimed = pull_queue().claim({.endpoint = endpoint.id,
                                               .by = by,
                                               .shard = shard,
                                               .shares = shares,
                                               .lease = 30s});
            std::move(claimed.events.begin(), claimed.events.end(), std::back_inserter(all));
        }
        return all;
    }
    /// Claims the one event that is claimable.
    Event pull_one(const Claimant& by) {
        auto claimed = pull(by);
        EXPECT_EQ(claimed.size(), 1U);
        return claimed.at(0).event;
    }
    /// The next instant at which one of the endpoint's events is claimable.
    Instant next_of(const Endpoint& endpoint) {
        Instant next = never;
        for (const PullHead& head : pull_queue().peek(std::vector{endpoint.id}).heads) {
            next = std::min(next, head.next);
        }
        return next;
    }

    const Endpoint ours = an_endpoint().pull();
    const Endpoint theirs = an_endpoint().pull();
    const Endpoint webhook = an_endpoint();
};

}  // namespace sundial
