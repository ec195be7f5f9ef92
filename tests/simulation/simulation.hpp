#pragma once

#include <cstdint>
#include <string>

#include "simulation/checker.hpp"
#include "simulation/history.hpp"
#include "simulation/settings.hpp"
#include "simulation/world.hpp"

namespace sundial::simulation {

struct Run {
    History history;
    Counts counts;
    Verdict verdict;
    std::uint64_t hash;  // of the history: equal settings give equal hashes
};

/// Runs one system from its first start through all faults of its seed to a quiet end.
[[nodiscard]] Run simulate(const Settings& settings);

/// The breaches for people: each with the history of the event that shows it.
[[nodiscard]] std::string explain(const Run& run);

}  // namespace sundial::simulation
