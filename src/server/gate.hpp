#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/router.hpp"
#include "adapters/http/schema.hpp"
#include "base/log.hpp"

namespace sundial::server {

/// Answers requests from the start of the process: health and documents always, everything else
/// with 503 until the database is open.
class Gate {
public:
    /// `schema`, `log` and the texts of `documents` outlive this. A gate without documents serves
    /// health only.
    Gate(const http::ApiSchema& schema, const std::optional<http::Documents>& documents,
         base::Log& log);

    /// Thread-safe; never throws.
    [[nodiscard]] http::Response answer(http::Request request) const;

    /// From now on `router` answers, including the gate's own routes, and `checks` supplies health.
    void open(http::Router& router, std::function<std::vector<http::HealthCheck>()> checks);
    /// Health answers "draining"; requests are still served.
    void drain() { draining_ = true; }
    void add_own_routes(http::Router& router);

private:
    [[nodiscard]] std::vector<http::HealthCheck> checks() const;

    std::optional<http::Documents> documents_;
    http::OpenGuard open_guard_;
    http::Router own_router_;
    std::function<std::vector<http::HealthCheck>()> engine_checks_;  // set before router_
    std::atomic<http::Router*> router_{nullptr};
    std::atomic<bool> draining_{false};
};

}  // namespace sundial::server
