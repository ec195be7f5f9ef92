#pragma once

#include "contract/storage.hpp"

namespace sundial {

/// Claims, leases, horizon, backlog and depth of an EventQueue.
class EventQueueContract : public StorageTest {};

/// settle and release_claims of an EventQueue.
class SettleContract : public StorageTest {};

/// Heartbeats, and the claims of instances that were found dead.
class HeartbeatContract : public StorageTest {
protected:
    /// The claims of instance B after `dead` was found dead, by default now.
    std::vector<ClaimedEvent> claim_left_by(InstanceId dead,
                                            std::optional<Instant> as_of = std::nullopt) {
        std::vector<ClaimedEvent> all;
        for (std::uint32_t shard = 0; shard < queue().shards(); ++shard) {
            for (const Lane& lane : all_lanes) {
                auto claimed =
                    queue().claim_ready({.by = instance_b,
                                         .shard = shard,
                                         .shares = {100, 100, 100, 100},
                                         .lease = 30s,
                                         .lane = lane,
                                         .dead = {{dead}, as_of.value_or(clock().now())}});
                std::move(claimed.events.begin(), claimed.events.end(), std::back_inserter(all));
            }
        }
        return all;
    }
};

}  // namespace sundial
