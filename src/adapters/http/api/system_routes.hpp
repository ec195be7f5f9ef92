#pragma once

#include <functional>
#include <optional>
#include <string>

#include "adapters/http/router.hpp"
#include "application/delivery/clock_module.hpp"
#include "application/ports/clock.hpp"

namespace sundial::http {

struct Info {
    std::string version;
    std::string commit;
    std::string database;  // "sqlite", "postgresql"
    std::string database_version;
    std::optional<std::string> database_note;
    std::string tz_release;
    bool test_clock = false;
    InstanceId instance;
};

struct SystemApi {
    ClockModule& clock;
    AdvanceClock::Progress progress;  // reports the progress of a long advance
    std::function<Info()> info;
};

/// /v1/clock, /v1/tick, /v1/info.
void add_system_routes(Router& router, SystemApi api);
/// /metrics: Prometheus text, or nothing if metrics are switched off.
void add_metrics_route(Router& router, std::function<std::optional<std::string>()> metrics);

}  // namespace sundial::http
