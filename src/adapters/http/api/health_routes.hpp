#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/router.hpp"

namespace sundial::http {

/// What the process is asked before, or without, a database.
struct HealthApi {
    std::function<std::optional<std::string>()> unready;  // why it cannot serve; empty if it can
    std::string_view openapi;
};

/// /livez, /readyz, /openapi.json.
void add_health_routes(Router& router, HealthApi api);

}  // namespace sundial::http
