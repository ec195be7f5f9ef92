#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/key_guard.hpp"
#include "adapters/http/router.hpp"
#include "adapters/http/schema.hpp"
#include "adapters/http/server.hpp"
#include "application/access/api_keys.hpp"
#include "base/log.hpp"
#include "server/engine.hpp"

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

// The checks behind the health of an instance.

/// Fails if the database takes longer than two seconds: requests should then go to another
/// instance.
[[nodiscard]] http::HealthCheck database_check(bool answered, std::chrono::microseconds after);
[[nodiscard]] http::HealthCheck claim_loop_check(bool stopping, bool turning);
/// `free`: bytes left; empty if unknown. A full disk is reported by the database, whose write
/// fails.
[[nodiscard]] http::HealthCheck disk_check(std::optional<std::uintmax_t> free);
/// This machine's clock minus the database's clock. The database's clock decides everything, so a
/// difference is only a warning.
[[nodiscard]] http::HealthCheck clock_check(std::chrono::microseconds ahead);

/// Warns when an API key expires soon. The route is open, so the check names no key.
[[nodiscard]] http::HealthCheck api_keys_check(const ExpiringKeys& expiring);

/// Warns if no process has a role that the database needs. `running`: the roles of each process.
[[nodiscard]] http::HealthCheck roles_check(const std::vector<std::vector<std::string>>& running);

[[nodiscard]] std::optional<std::uintmax_t> free_space_of(const std::string& file);

/// A separate port for /livez, /readyz, /healthz and /metrics (`http.health_listen`). It has its
/// own threads and connections, so it answers however busy the API is.
class HealthListener {
public:
    /// The objects that exist before the database. All outlive this listener.
    struct World {
        const http::ApiSchema& schema;
        const http::ServerWorld& world;
        Metrics& metrics;
        base::Log& log;
    };
    HealthListener(const http::ServerSettings& settings, const World& world);

    /// Starts to listen; returns the port. Throws CannotStart if the address is not available.
    std::uint16_t listen() { return server_.listen(); }
    /// From now on `engine` reports health and metrics, and `guard` checks keys. Both are used
    /// until stop().
    void open(Engine& engine, http::Guard& guard);
    /// Health answers "draining".
    void drain() { gate_.drain(); }
    void stop() { server_.stop(); }
    /// As HttpServer::renew_certificate.
    void renew_certificate() { server_.renew_certificate(); }

private:
    World world_;
    Gate gate_;
    std::optional<http::Router> router_;
    http::HttpServer server_;  // last: it stops before what it uses goes
};

}  // namespace sundial::server
