#pragma once

#include "contract/storage.hpp"

namespace sundial {

/// When and how fast events are sent to an endpoint: its circuit, its rate limits, and the events
/// that either defers.
class LimitsContract : public StorageTest {
protected:
    void put(const Circuit& circuit) {
        write([&](Transaction& tx) {
            static_cast<void>(tx.circuits().lock(circuit.endpoint));
            tx.circuits().put(circuit);
        });
    }
    Circuit circuit_of(EndpointId endpoint) {
        return write([&](Transaction& tx) { return tx.circuits().lock(endpoint); });
    }
    void put(const Limits& limits) {
        write([&](Transaction& tx) {
            static_cast<void>(tx.limits().lock(limits.endpoint));
            tx.limits().put(limits);
        });
    }
    Limits limits_of(EndpointId endpoint) {
        return write([&](Transaction& tx) { return tx.limits().lock(endpoint); });
    }
    Endpoint stored(const Endpoint& endpoint) {
        write([&](Transaction& tx) { EXPECT_TRUE(tx.endpoints().add(endpoint)); });
        return endpoint;
    }
    std::uint32_t shard_in(const Event& event) { return shard_of(event.id, queue().shards()); }
    /// Claims all due events but those of `limited`, and returns which joined its line.
    std::pair<std::vector<ClaimedEvent>, std::vector<LineHead>> claim_beside(EndpointId limited);
    /// One event of `endpoint`, claimed and released.
    Event blocked(EndpointId endpoint, std::optional<Obstacle> obstacle,
                  std::chrono::microseconds delay = 1h);
};

}  // namespace sundial
