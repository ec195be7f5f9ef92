#pragma once

#include <array>
#include <cstdint>

#include "contract/storage.hpp"

namespace sundial {

/// Claims, leases, horizon, backlog and depth of an EventQueue.
class EventQueueContract : public StorageTest {};

/// Claimed::next. On a distributed database it is always empty.
class ClaimedNextContract : public StorageTest {
protected:
    void SetUp() override { (void)queue().peek(all_lanes); }  // claims look in the lanes of peeks

    /// A claim of reminders without an endpoint in shard 0.
    Claimed claim_with_next(std::array<std::uint32_t, 4> shares) {
        return queue().claim_ready({.by = instance_a,
                                    .shares = shares,
                                    .lease = 30s,
                                    .lane = reminder_lane,
                                    .with_next = true});
    }
};

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
