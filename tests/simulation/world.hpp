#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "adapters/memory/event_queue.hpp"
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

/// What was done, by kind.
struct Counts {
    std::map<std::string, std::uint64_t> faults;
    std::uint64_t turns = 0;     // of worker loops
    std::uint64_t calls = 0;     // of ports
    std::uint64_t actions = 0;   // of clients
    std::uint64_t requests = 0;  // that a receiver saw
    std::uint64_t accepted = 0;  // of those
    std::uint64_t events = 0;    // in the end, finished ones included
};

/// Everything outside of the processes: time, chance, the database, receivers, and the record of it
/// all. For one thread.
struct World {
    explicit World(const Settings& its_settings);

    /// At the present moment.
    void record(Step step);
    void record_fault(const std::string& kind, std::uint32_t source, Time begin, Time end);
    [[nodiscard]] bool defective(Defect defect) const { return settings.defect == defect; }

    const Settings settings;
    Dice dice;
    Rates rates;
    bool faults_happen = true;
    Timeline time;
    DatabaseClock clock;
    FakeIds ids;
    const FakeTzData true_zones;
    FakeTimeZones zones;  // as the product sees them
    memory::MemoryStore store;
    memory::MemoryEventQueue memory_queue;
    std::unique_ptr<EventQueue> queue;  // with the defect, if there is one
    Receivers receivers;
    History history;
    Counts counts;
};

}  // namespace sundial::simulation
