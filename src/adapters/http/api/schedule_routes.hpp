#pragma once

#include "adapters/http/router.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/backfill_schedule.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/schedules/delete_schedule.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/schedules/put_schedule.hpp"
#include "application/schedules/trigger_schedule.hpp"

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
