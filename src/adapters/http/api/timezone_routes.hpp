#pragma once

#include "adapters/http/router.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/time_zones.hpp"
#include "application/timezones/timezones_module.hpp"

namespace sundial::http {

struct TimezoneApi {
    TimezonesModule& timezones;
    const TimeZones& zones;
    Clock& clock;
};

/// /v1/timezones, /v1/timezones/impact.
void add_timezone_routes(Router& router, TimezoneApi api);

}  // namespace sundial::http
