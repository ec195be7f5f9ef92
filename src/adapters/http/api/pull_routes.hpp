#pragma once

#include "adapters/http/router.hpp"
#include "application/ports/time_zones.hpp"
#include "application/pull/pull_module.hpp"

namespace sundial::http {

struct PullApi {
    PullModule& pull;
    const TimeZones& zones;
};

/// The API of pull workers, below /v1/endpoints and /v1/events.
void add_pull_routes(Router& router, PullApi api);

}  // namespace sundial::http
