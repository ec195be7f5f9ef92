#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "contract/storage.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"

namespace sundial {

/// Two callers change the same object at the same moment, as use cases and instances do. Each race
/// has one winner, and the loser gets an error. The winner is random, so each race runs many times.
class RaceContract : public StorageTest {
protected:
    /// Runs each racer in a thread, all from the same moment on, and waits for all.
    static void race(std::initializer_list<std::function<void()>> racers);

    /// Runs of each race.
    static constexpr int rounds = 40;

    FakeTimeZones zones;
    FakeIds ids;
};

/// Keys made and revoked at the same moment, by two instances: the rules about all keys hold.
class ApiKeyRaceContract : public RaceContract {
protected:
    std::vector<ApiKey> all() {
        return read([](Transaction& tx) { return tx.api_keys().all(); });
    }
    /// From now on there are these and no others.
    void replace_all(const std::vector<ApiKey>& keys) {
        write([&](Transaction& tx) {
            for (const ApiKey& key : tx.api_keys().lock_all()) tx.api_keys().remove(key.id);
            for (const ApiKey& key : keys) tx.api_keys().add(key);
        });
    }
};

}  // namespace sundial
