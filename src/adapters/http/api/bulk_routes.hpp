#pragma once

#include "adapters/http/router.hpp"
#include "application/events/bulk_events.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct BulkApi {
    BulkEvents& bulk;
    Queries& queries;
    Clock& clock;  // what `now` means in filters
    const TimeZones& zones;
};

/// /v1/bulk, and the dead letters that it is made for: /v1/stats/failures.
void add_bulk_routes(Router& router, BulkApi api);

}  // namespace sundial::http
