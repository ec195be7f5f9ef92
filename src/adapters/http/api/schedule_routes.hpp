#pragma once

#include "adapters/http/router.hpp"
#include "application/backfill_schedule.hpp"
#include "application/create_schedule.hpp"
#include "application/delete_schedule.hpp"
#include "application/edit_schedule.hpp"
#include "application/ports/time_zones.hpp"
#include "application/put_schedule.hpp"
#include "application/queries.hpp"
#include "application/trigger_schedule.hpp"

namespace sundial::http {

struct ScheduleApi {
    CreateSchedule& create;
    PutSchedule& put;
    EditSchedule& edit;
    DeleteSchedule& remove;
    TriggerSchedule& trigger;
    BackfillSchedule& backfill;
    Queries& queries;
    const TimeZones& zones;
};

/// /v1/schedules.
void add_schedule_routes(Router& router, ScheduleApi api);

}  // namespace sundial::http
