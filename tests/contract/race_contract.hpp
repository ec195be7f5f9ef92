#pragma once

#include <functional>
#include <initializer_list>

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

}  // namespace sundial
