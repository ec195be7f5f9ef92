#pragma once

#include "adapters/http/router.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/explain_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct EventApi {
    ScheduleEvent& schedule;
    EditEvent& edit;
    CancelEvent& cancel;
    RetryEvent& retry;
    ExplainEvent& explain;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
    const TimeZones& zones;
};

/// /v1/events.
void add_event_routes(Router& router, EventApi api);

}  // namespace sundial::http
