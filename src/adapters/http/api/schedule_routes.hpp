#pragma once

#include "adapters/http/router.hpp"
#include "application/edit_schedule.hpp"
#include "application/queries.hpp"

namespace sundial::http {

struct ScheduleApi {
    EditSchedule& edit;
    Queries& queries;
};

/// /v1/schedules.
void add_schedule_routes(Router& router, ScheduleApi api);

}  // namespace sundial::http
