#pragma once

#include <cstdint>

#include "simulation/scale/cluster.hpp"

namespace sundial::simulation {

/// What came of one run.
struct Scaled {
    double events_per_second = 0;               // from the first due instant to the last settlement
    double p50_ms = 0, p99_ms = 0, max_ms = 0;  // from due to the start of the try
    double nodes_busy = 0;                      // share of the nodes' CPUs
    double events_per_claim = 0;
};

/// The real worker loops of many instances, each on a CPU of its own, over a database of many
/// nodes, in virtual time: what is measured of one statement decides how long everything takes. No
/// faults; nobody waits for a row or a page that somebody else has locked.
[[nodiscard]] Scaled simulate_scale(const ScaleSettings& settings);

}  // namespace sundial::simulation
