#pragma once

#include <functional>
#include <initializer_list>
#include <vector>

#include "contract/storage.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"

namespace sundial {

/// Two who want to change the same thing at the same moment, as use cases and instances do: each
/// race has one winner, and the other is told. Who wins is chance, so each race is run many times.
class RaceContract : public StorageTest {
protected:
    /// Runs all of them, each in a thread, from the same moment on, and waits for all.
    static void race(std::initializer_list<std::function<void()>> racers);

    /// How often each race is run.
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
