#pragma once

#include <cstdint>
#include <optional>

#include "application/delivery/worker_loop.hpp"

namespace sundial {

/// One claim-and-deliver pass, for an external trigger such as a minute timer. Works beside a
/// running worker loop too: both drive the same worker.
class Tick {
public:
    explicit Tick(WorkerLoop& loop) : loop_(loop) {}
    /// Claims until `limit` events are claimed or none is due; returns once they are settled.
    /// Throws Unavailable.
    TickCounters run(std::optional<std::uint64_t> limit);

private:
    WorkerLoop& loop_;
};

}  // namespace sundial
