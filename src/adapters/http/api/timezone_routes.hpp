#pragma once

#include "adapters/http/router.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/time_zones.hpp"
#include "application/timezones/survey_tzdata.hpp"

namespace sundial::http {

struct TimezoneApi {
    const TimeZones& zones;
    SurveyTzdata& survey;
    Clock& clock;
};

/// /v1/timezones, /v1/timezones/impact.
void add_timezone_routes(Router& router, TimezoneApi api);

}  // namespace sundial::http
