#include "simulation/world.hpp"

#include <array>
#include <utility>

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

/// A tz database in which New York has its clock changes until 2040.
FakeTzData zones_with(std::chrono::seconds new_york_off_by) {
    using namespace std::chrono;
    std::vector<FakeZone::Change> changes;
    for (int y = 2026; y < 2040; ++y) {
        changes.push_back({sys_days{year{y} / March / Sunday[2]} + 7h, -4h + new_york_off_by});
        changes.push_back({sys_days{year{y} / November / Sunday[1]} + 6h, -5h + new_york_off_by});
    }
    FakeTzData data;
    data.put(FakeZone("America/New_York", -5h + new_york_off_by, std::move(changes)));
    data.put(FakeZone("Asia/Kolkata", 330min));
    return data;
}

constexpr std::array<std::uint32_t, 4> shard_counts{1, 2, 4, 16};

/// Some seeds have few faults, some many.
double severity(Dice& dice) {
    constexpr std::array<double, 4> severities{0.2, 0.5, 1.0, 3.0};
    return dice.pick(severities);
}

/// Any day of 2026, so that clock changes and the end of the year are covered.
Instant some_day(Dice& dice) {
    return std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} +
           std::chrono::days{static_cast<int>(dice.below(365))} + dice.between(0s, 24h);
}

}  // namespace

World::World(const Settings& its_settings)
    : settings(its_settings),
      dice(its_settings.seed),
      rates(rates_of(its_settings.faults, severity(dice))),
      clock(some_day(dice), time.now()),
      true_zones(zones_with(0s)),
      store(clock, {.shards = dice.pick(shard_counts)}),
      queue(with_defect(store.queue(), store, clock, its_settings.defect)) {
    // Unused memory costs nothing, but growing moved the strings of a hundred thousand steps.
    history.steps.reserve(250'000);
    zones.set(zones_with(defective(Defect::wrong_zone) ? 1h : 0h));
}

void World::record(Step step) {
    step.at = clock.now();
    step.mono = time.now();
    history.steps.push_back(std::move(step));
}

void World::record_fault(const std::string& kind, std::uint32_t source, Time begin, Time end) {
    ++counts.faults[kind];
    history.faults.push_back({kind, source, begin, end});
}

void World::send_database_away(Time how_long) {
    away_until = time.now() + how_long;
    record_fault("database away", 0, time.now(), away_until);
}

}  // namespace sundial::simulation
