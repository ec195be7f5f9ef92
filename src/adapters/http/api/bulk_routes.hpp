#pragma once

#include "adapters/http/router.hpp"
#include "application/events/events_module.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct BulkApi {
    EventsModule& events;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
    const TimeZones& zones;
};

/// /v1/bulk, and /v1/stats/failures: the dead letters that bulk operations mostly work on.
void add_bulk_routes(Router& router, BulkApi api);

}  // namespace sundial::http
