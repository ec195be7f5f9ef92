#pragma once

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/tracer.hpp"
#include "base/log.hpp"
#include "domain/ids.hpp"

namespace sundial {

/// The ports that most modules use. All outlive the modules. Parts that only one module needs are
/// extra arguments of its constructor.
struct ModulePorts {
    InstanceId instance;
    Store& store;
    const TimeZones& zones;
    Ids& ids;
    Random& random;
    const MonotonicClock& monotonic;
    Wakeups& wakeups;
    base::Log& log;
    Tracer& tracer = no_tracer;
};

}  // namespace sundial
