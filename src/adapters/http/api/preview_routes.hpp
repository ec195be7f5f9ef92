#pragma once

#include "adapters/http/router.hpp"
#include "application/schedules/preview_schedule.hpp"

namespace sundial::http {

struct PreviewApi {
    PreviewSchedule& preview;
};

/// /v1/preview and /v1/occurrences.
void add_preview_routes(Router& router, PreviewApi api);

}  // namespace sundial::http
