#pragma once

#include "application/delivery/advance_clock.hpp"
#include "application/delivery/tick.hpp"
#include "application/delivery/worker_loop.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"

namespace sundial {

/// Drives the worker on request: one pass, or until a test clock has advanced.
struct ClockModule {
    ClockModule(Clock& database_clock, EventQueue& queue, Operations& operations, WorkerLoop& loop)
        : clock(database_clock), tick(loop), advance(clock, queue, operations, loop) {}

    Clock& clock;
    Tick tick;
    AdvanceClock advance;
};

}  // namespace sundial
