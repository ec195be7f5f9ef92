#pragma once

#include <cstdint>

#include "simulation/scale/cluster.hpp"

namespace sundial::simulation {

/// The result of one run.
struct Scaled {
    double events_per_second = 0;               // from the first due instant to the last settlement
    double p50_ms = 0, p99_ms = 0, max_ms = 0;  // from due to the start of the attempt
    double nodes_busy = 0;                      // share of the nodes' CPU time
    double events_per_claim = 0;
};

/// The real worker loops of many instances, each on a CPU of its own, on a database of many nodes,
/// in virtual time. The measured costs of single statements determine all durations. There are no
/// faults and no waits for locked rows or pages.
[[nodiscard]] Scaled simulate_scale(const ScaleSettings& settings);

}  // namespace sundial::simulation
