#pragma once

#include <cstddef>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"

namespace sundial {

struct Replanned {
    std::size_t changed = 0;  // events brought to the present rule
    std::size_t dropped = 0;  // cancelled, since by that rule they are none
};

/// Brings the live events of a schedule to its present version (time-semantics 10): another time or
/// leap policy keeps the year's occurrence, pausing parks, resuming gives the next occurrence after
/// now, and what only waited for an endpoint goes to it now. What is claimed, or was tried, is
/// delivered as planned. Each batch is a transaction of its own; repeating all of it is harmless.
class ReplanSchedule {
public:
    ReplanSchedule(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    Replanned run(ScheduleId schedule);
    /// Every schedule whose last edit was cut short: at start.
    Replanned run_behind();

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
