#pragma once

#include "adapters/http/router.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/schedules_module.hpp"

namespace sundial::http {

struct ScheduleApi {
    SchedulesModule& schedules;
    Queries& queries;
    const TimeZones& zones;
};

/// /v1/schedules.
void add_schedule_routes(Router& router, ScheduleApi api);

}  // namespace sundial::http
