#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "application/delivery/worker_loop.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// The result of an advance; during the advance, the result so far.
struct Advanced {
    Instant now;
    std::uint64_t delivered = 0;
    std::uint64_t failed = 0;
};

/// Moves the test clock as real time moves: it stops at every instant at which an event or a retry
/// is claimable, until all of these are settled. It lets operations finish before it moves.
class AdvanceClock {
public:
    /// Called after each step. The advance waits for it.
    using Progress = std::function<void(const Advanced&)>;

    AdvanceClock(Clock& clock, EventQueue& queue, Operations& operations, WorkerLoop& loop)
        : clock_(clock), queue_(queue), operations_(operations), loop_(loop) {}

    /// Also lets `work` finish before the clock moves. Call it before any advance.
    void run_first(std::function<void()> work) { first_ = std::move(work); }

    /// Errors: ClockNotTest; ValidationFailed at /to if the clock would go back. Ends early, at any
    /// instant, if the worker is stopped. Throws Unavailable.
    [[nodiscard]] ClockResult<Advanced> to(Instant target, const Progress& progress = {});
    /// Errors: ClockNotTest; ValidationFailed at /by.
    [[nodiscard]] ClockResult<Advanced> by(std::chrono::microseconds duration,
                                           const Progress& progress = {});
    /// Sets the clock in one step, after everything in flight is settled. Events in between come
    /// due late. Errors: ClockNotTest; ValidationFailed at /now if the clock would go back.
    [[nodiscard]] ClockResult<Instant> jump(Instant target);

private:
    Clock& clock_;
    EventQueue& queue_;
    Operations& operations_;
    WorkerLoop& loop_;
    std::function<void()> first_ = [] {};
};

}  // namespace sundial
