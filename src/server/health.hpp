#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/key_guard.hpp"
#include "adapters/http/router.hpp"
#include "adapters/http/server.hpp"
#include "application/access/api_keys.hpp"
#include "server/engine.hpp"
#include "server/gate.hpp"

/// The checks behind the health of an instance.

namespace sundial::server {

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

    /// Starts to listen; returns the port. Throws CannotStart if the address cannot be had.
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
