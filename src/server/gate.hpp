#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <vector>

#include "adapters/http/api/health_routes.hpp"
#include "adapters/http/router.hpp"
#include "adapters/http/schema.hpp"
#include "base/log.hpp"

namespace sundial::server {

/// Answers from the first moment on: health always, everything else with 503 until the database is
/// there.
class Gate {
public:
    /// `schema` and `log` outlive this.
    Gate(const http::ApiSchema& schema, std::string_view openapi, base::Log& log);

    /// Thread-safe; never throws.
    [[nodiscard]] http::Response answer(http::Request request) const;

    /// From now on `router` answers, health included, and `checks` says how it goes.
    void open(http::Router& router, std::function<std::vector<http::HealthCheck>()> checks);
    /// Health answers "draining"; requests are still served.
    void drain() { draining_ = true; }
    void add_health(http::Router& router);

private:
    [[nodiscard]] std::vector<http::HealthCheck> checks() const;

    std::string_view openapi_;
    http::OpenDoor everybody_;
    http::Router health_;
    std::function<std::vector<http::HealthCheck>()> engine_checks_;  // set before router_
    std::atomic<http::Router*> router_{nullptr};
    std::atomic<bool> draining_{false};
};

}  // namespace sundial::server
