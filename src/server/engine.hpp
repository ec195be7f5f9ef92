#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/api/health_routes.hpp"
#include "adapters/http/keyed_answers.hpp"
#include "adapters/http/router.hpp"
#include "application/access/api_key_ring.hpp"
#include "application/delivery/handlers.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/time_zones.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "base/log.hpp"
#include "server/database.hpp"
#include "server/demo.hpp"
#include "server/metrics.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// What the engine is made of beside its database; all outlive it.
struct EngineParts {
    const Settings& settings;
    const TimeZones& zones;
    const Handlers& handlers;
    EngineObserver& observer;
    StorageObserver& storage_observer;
    base::Log& log;
    /// 32 bytes each; the first seals, all open. None: secrets cannot be kept.
    std::vector<std::string> encryption_keys;
    /// Where this process itself listens: no webhook goes there.
    std::vector<ListenAddress> listeners{};
};

/// Every use case over one database, and the worker that claims and delivers. The wiring of the
/// product: alone it knows which adapter stands behind which port.
class Engine {
public:
    Engine(std::unique_ptr<Database> database, const EngineParts& parts);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Brings pending events to the tz database in force, finishes what an earlier process left
    /// half done (endpoints that were enabled), then lets the worker and the operations run, each
    /// on a thread of its own, as does the watch for pull workers.
    void start();
    /// Answers those who wait, for work or for the feed, here and from now on, at once.
    void end_waits();
    /// Claims nothing more; waits until what was claimed is settled or given back, and for the
    /// batch of the operation under way.
    void stop();

    /// Answers what comes with an Idempotency-Key.
    [[nodiscard]] const http::KeyedAnswers& keyed_answers();
    /// All of the API but health.
    void add_routes(http::Router& router, Metrics& metrics);
    /// /metrics alone.
    void add_metrics_route(http::Router& router, Metrics& metrics);
    /// How it goes: the database, the claim loop, API keys, the disk, the clock.
    [[nodiscard]] std::vector<http::HealthCheck> health() const;
    [[nodiscard]] Database& database();
    /// The keys in force, for whoever checks them.
    [[nodiscard]] ApiKeyRing& api_keys();
    [[nodiscard]] Demo demo();
    /// For whoever puts another tz database in force, once it has started.
    [[nodiscard]] FollowTzdata& follow_tzdata();
    /// One pass, for whoever has no worker running.
    struct Pass {
        std::uint64_t claimed, completed, failed, retrying;
    };
    [[nodiscard]] Pass tick(std::uint64_t limit);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace sundial::server
