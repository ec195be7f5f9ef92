#pragma once

#include <string>

#include "application/ports/clock.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/pull_watch.hpp"
#include "application/pull/settle_pulled.hpp"
#include "embedded/own_process.hpp"
#include "sundial/embedding.hpp"

namespace sundial::embedding {

/// The parts of the engine that a worker uses, and its identity.
struct PullWorker::Parts {
    const OwnProcess& process;
    PullEvents& pull;
    SettlePulled& settle;
    PullWatch& watch;
    const MonotonicClock& monotonic;
    std::string queue;
    std::string name;
};

}  // namespace sundial::embedding
