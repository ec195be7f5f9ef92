#pragma once

#include <cstdint>
#include <optional>

#include "adapters/http/key_guard.hpp"
#include "adapters/http/router.hpp"
#include "adapters/http/server.hpp"
#include "server/engine.hpp"
#include "server/gate.hpp"

namespace sundial::server {

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
