#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "adapters/http/router.hpp"

namespace sundial::http {

/// What was looked at, and what was seen. What fails keeps requests away; a warning does not.
struct HealthCheck {
    enum class Status : std::uint8_t { pass, warn, fail };

    std::string name;  // "database"
    Status status = Status::pass;
    std::string detail{};  // of what does not pass: for people, without internals
};

/// What the process is asked before, or without, a database.
struct HealthApi {
    std::function<std::vector<HealthCheck>()> checks;
};

/// /livez, /readyz, /healthz.
void add_health_routes(Router& router, HealthApi api);

/// Whether a request is for what is answered without looking at anything: /livez.
[[nodiscard]] bool asks_for_life(const Request& request);

}  // namespace sundial::http
