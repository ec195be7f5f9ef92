#pragma once

#include "adapters/http/router.hpp"
#include "application/events/events_module.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct EventApi {
    EventsModule& events;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
    const TimeZones& zones;
};

/// /v1/events.
void add_event_routes(Router& router, EventApi api);

}  // namespace sundial::http
