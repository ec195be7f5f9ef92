#pragma once

#include <cstdint>
#include <optional>

#include "application/delivery/worker_loop.hpp"

namespace sundial {

/// One claim-and-deliver pass, for an external trigger such as a minute timer. Also beside a worker
/// loop that runs: it is the same worker.
class Tick {
public:
    explicit Tick(WorkerLoop& loop) : loop_(loop) {}
    /// Until `limit` events are claimed or none is due; returns once they are settled. Throws
    /// Unavailable.
    Tally run(std::optional<std::uint64_t> limit);

private:
    WorkerLoop& loop_;
};

}  // namespace sundial
