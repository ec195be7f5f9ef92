#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "application/delivery/worker_loop.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial {

/// What an advance did; while it is under way, what it has done so far.
struct Advanced {
    Instant now;
    std::uint64_t delivered = 0;
    std::uint64_t failed = 0;
};

/// Moves the test clock as time would move: it stands still at every instant at which something is
/// claimable, retries too, until all of that is settled. Operations are over before it moves.
class AdvanceClock {
public:
    /// Called after each step; what it does is part of the time that the advance takes.
    using Progress = std::function<void(const Advanced&)>;

    AdvanceClock(Clock& clock, EventQueue& queue, Operations& operations, WorkerLoop& loop)
        : clock_(clock), queue_(queue), operations_(operations), loop_(loop) {}

    /// Errors: ClockNotTest; ValidationFailed at /to when it would go back. Ends early, wherever it
    /// is, when the worker is stopped. Throws Unavailable.
    [[nodiscard]] Result<Advanced> to(Instant target, const Progress& progress = {});
    /// Errors: ClockNotTest; ValidationFailed at /by.
    [[nodiscard]] Result<Advanced> by(std::chrono::microseconds duration,
                                      const Progress& progress = {});
    /// Sets the clock in one step, after what is in flight is settled: what lies between comes due
    /// late. Errors: ClockNotTest; ValidationFailed at /now when it would go back.
    [[nodiscard]] Result<Instant> jump(Instant target);

private:
    Clock& clock_;
    EventQueue& queue_;
    Operations& operations_;
    WorkerLoop& loop_;
};

}  // namespace sundial
