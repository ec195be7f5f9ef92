#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "adapters/http/router.hpp"

namespace sundial::http {

/// One check and its result. A failed check makes the instance not ready; a warning does not.
struct HealthCheck {
    enum class Status : std::uint8_t { pass, warn, fail };

    std::string name;  // "database"
    Status status = Status::pass;
    std::string detail{};  // why the check did not pass: for people, without internals
};

/// Health probes, which also work without a database.
struct HealthApi {
    std::function<std::vector<HealthCheck>()> checks;
};

/// /livez, /readyz, /healthz.
void add_health_routes(Router& router, HealthApi api);

/// Whether a request is for /livez, which is answered without any check.
[[nodiscard]] bool asks_for_life(const Request& request);

}  // namespace sundial::http
