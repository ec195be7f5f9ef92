#pragma once

#include "adapters/http/router.hpp"
#include "application/schedules/schedules_module.hpp"

namespace sundial::http {

struct PreviewApi {
    SchedulesModule& schedules;
};

/// /v1/preview and /v1/occurrences.
void add_preview_routes(Router& router, PreviewApi api);

}  // namespace sundial::http
