#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "adapters/http/api/live_hub.hpp"
#include "adapters/http/router.hpp"
#include "application/access/access_module.hpp"
#include "application/calendars/calendars_module.hpp"
#include "application/endpoints/endpoints_module.hpp"
#include "application/events/events_module.hpp"
#include "application/instances/instances_module.hpp"
#include "application/locks/locks_module.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/time_zones.hpp"
#include "application/pull/pull_module.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/schedules_module.hpp"
#include "application/stats/stats_module.hpp"
#include "application/streams/streams_module.hpp"
#include "application/timezones/timezones_module.hpp"
#include "application/users/users_module.hpp"

/// The routes of each module, one registration function per file `<module>_routes.cpp`.
/// `server/engine_routes.cpp` calls them. Routes that need no module are in `system_routes.hpp`.

namespace sundial::http {

struct EventApi {
    EventsModule& events;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
    const TimeZones& zones;
};

/// /v1/events.
void add_event_routes(Router& router, EventApi api);

struct BulkApi {
    EventsModule& events;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
    const TimeZones& zones;
};

/// /v1/bulk, and /v1/stats/failures: the dead letters that bulk operations mostly work on.
void add_bulk_routes(Router& router, BulkApi api);

struct PullApi {
    PullModule& pull;
    const TimeZones& zones;
};

/// The API of pull workers, below /v1/endpoints and /v1/events.
void add_pull_routes(Router& router, PullApi api);

struct ScheduleApi {
    SchedulesModule& schedules;
    Queries& queries;
    const TimeZones& zones;
};

/// /v1/schedules.
void add_schedule_routes(Router& router, ScheduleApi api);
/// /v1/schedules/bulk.
void add_schedule_bulk_routes(Router& router, ScheduleApi api);

struct PreviewApi {
    SchedulesModule& schedules;
};

/// /v1/preview and /v1/occurrences.
void add_preview_routes(Router& router, PreviewApi api);

struct UserApi {
    UsersModule& users;
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
};

/// /v1/users, and the seeds' /user and /users.
void add_user_routes(Router& router, UserApi api);

struct EndpointApi {
    EndpointsModule& endpoints;
    Queries& queries;
    std::chrono::seconds default_timeout;
    CircuitPolicy circuit{};
};

/// /v1/endpoints.
void add_endpoint_routes(Router& router, EndpointApi api);

struct StreamApi {
    StreamsModule& streams;
    Ids& ids;
    /// Called with the reason why a snapshot was not stored: "older". May be empty.
    std::function<void(std::string_view reason)> snapshot_ignored{};
};

/// /v1/streams, /v1/feed and /v1/checkpoints.
void add_stream_routes(Router& router, StreamApi api);

struct LockApi {
    LocksModule& locks;
    /// Called with the outcome of a request that was ready to wait: "granted" or "held". May be
    /// empty.
    std::function<void(std::string_view outcome)> waited{};
    /// Called once per request if another caller holds the lock. May be empty.
    std::function<void(const LockHeld& held)> contended{};
};

/// Locks by name, below /v1/locks. A waiting request holds no thread.
void add_lock_routes(Router& router, LockApi api);

struct OperationApi {
    Operations& operations;
    Queries& queries;
};

/// /v1/operations.
void add_operation_routes(Router& router, OperationApi api);

struct IntakeApi {
    Queries& queries;
};

/// /v1/intakes: the outboxes of applications.
void add_intake_routes(Router& router, IntakeApi api);

struct ApiKeyApi {
    AccessModule& access;
    Queries& queries;
};

/// /v1/api-keys.
void add_api_key_routes(Router& router, ApiKeyApi api);

struct CalendarApi {
    CalendarsModule& calendars;
    Queries& queries;
};

/// /v1/calendars, and the feeds below /calendar.
void add_calendar_routes(Router& router, CalendarApi api);

struct AttemptApi {
    Queries& queries;
    Clock& clock;  // the present for `now` in filters
};

/// /v1/attempts.
void add_attempt_routes(Router& router, AttemptApi api);

struct InstanceApi {
    InstancesModule& instances;
    Store& store;
    /// Called after a request to drain, so that this instance need not wait for its next report.
    std::function<void()> drain_requested{};
};

/// /v1/instances.
void add_instance_routes(Router& router, InstanceApi api);

struct StatsApi {
    StatsModule& stats;
    Clock& clock;  // the present for `now` in filters
};

/// /v1/stats, /v1/stats/series and /v1/stats/heatmap.
void add_stats_routes(Router& router, StatsApi api);

struct SessionApi {
    Sessions& sessions;
    const MonotonicClock& monotonic;
    bool https = false;  // this server serves TLS
};

/// /v1/session: the login of a browser.
void add_session_routes(Router& router, SessionApi api);

struct LiveApi {
    std::shared_ptr<LiveHub> hub;
    Queries& queries;
};

/// /v1/live.
void add_live_routes(Router& router, LiveApi api);

struct TimezoneApi {
    TimezonesModule& timezones;
    const TimeZones& zones;
    Clock& clock;
};

/// /v1/timezones, /v1/timezones/impact.
void add_timezone_routes(Router& router, TimezoneApi api);

}  // namespace sundial::http
