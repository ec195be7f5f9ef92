#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "adapters/memory/store.hpp"
#include "simulation/database_clock.hpp"
#include "simulation/dice.hpp"
#include "simulation/history.hpp"
#include "simulation/receivers.hpp"
#include "simulation/settings.hpp"
#include "simulation/timeline.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"

namespace sundial::simulation {

/// Counters by kind.
struct Counts {
    std::map<std::string, std::uint64_t> faults;
    std::uint64_t turns = 0;     // by worker loops
    std::uint64_t calls = 0;     // to ports
    std::uint64_t actions = 0;   // by clients
    std::uint64_t requests = 0;  // seen by a receiver
    std::uint64_t accepted = 0;  // of these requests
    std::uint64_t events = 0;    // at the end, finished ones included
};

/// Everything outside the processes: time, randomness, the database, the receivers, and the
/// history. Single-threaded.
struct World {
    explicit World(const Settings& its_settings);

    /// At the current time.
    void record(Step step);
    void record_fault(const std::string& kind, std::uint32_t source, Time begin, Time end);
    /// The database answers no instance for that long.
    void send_database_away(Time how_long);
    [[nodiscard]] bool defective(Defect defect) const { return settings.defect == defect; }

    const Settings settings;
    Dice dice;
    Rates rates;
    bool faults_happen = true;
    Time away_until{0};
    Timeline time;
    DatabaseClock clock;
    FakeIds ids;
    const FakeTzData true_zones;
    FakeTimeZones zones;  // as seen by the product
    memory::MemoryStore store;
    std::unique_ptr<EventQueue> queue;  // with the defect, if one is set
    Receivers receivers;
    /// Processes that have ended without giving all back, and their machines.
    std::map<InstanceId, std::uint32_t> ended;
    History history;
    Counts counts;
};

}  // namespace sundial::simulation
