#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/keyed_answers.hpp"
#include "adapters/http/router.hpp"
#include "application/access/api_keys.hpp"
#include "application/access/sessions.hpp"
#include "application/delivery/handlers.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/tracer.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "base/log.hpp"
#include "server/database.hpp"
#include "server/demo.hpp"
#include "server/metrics.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// The parts of the engine besides its database; all outlive it.
struct EngineParts {
    const Settings& settings;
    const TimeZones& zones;
    const Handlers& handlers;
    EngineObserver& observer;
    StorageObserver& storage_observer;
    base::Log& log;
    /// 32 bytes each. The first one seals, all of them open. If empty, secrets cannot be stored.
    std::vector<std::string> encryption_keys;
    /// The addresses this process listens on; webhooks must not go there.
    std::vector<ListenAddress> listeners{};
    /// Called once, on a thread of the engine, when a caller asked this instance to drain: the
    /// process must then end as it does on SIGTERM. May be empty.
    std::function<void()> on_drain{};
    Tracer& tracer = no_tracer;
    std::optional<InstanceId> instance{};  // empty: it gets a new id
    /// For /v1/settings.
    std::vector<SettingShown> settings_shown{};
};

/// Every use case on one database, and the worker that claims and delivers. Wires the product: only
/// this class knows which adapter implements which port.
class Engine {
public:
    Engine(std::unique_ptr<Database> database, const EngineParts& parts);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Starts the work of `scheduler.roles`. The scheduler first updates pending events to the
    /// current tz database, and finishes what an earlier process left incomplete (releasing the
    /// events of enabled endpoints). Then the worker, the operations and the watch for pull workers
    /// start, each on a thread of its own.
    void start();
    /// Ends all waits for work or for the feed at once, current and future ones.
    void end_waits();
    /// Claims nothing more; waits until all claims are settled or released, and until the current
    /// batch of the operation has finished.
    void stop();

    /// Answers requests with an Idempotency-Key.
    [[nodiscard]] const http::KeyedAnswers& keyed_answers();
    /// Adds all routes of the API except health; without the role api, only /metrics.
    void add_routes(http::Router& router, Metrics& metrics);
    /// /metrics alone.
    void add_metrics_route(http::Router& router, Metrics& metrics);
    /// The checks of its health: the database, the claim loop, API keys, the disk, the clock.
    [[nodiscard]] std::vector<http::HealthCheck> health() const;
    /// Whether the claim loop has made progress within two ticks, or does not run here. Does not
    /// wait for the database.
    [[nodiscard]] bool makes_progress() const;
    [[nodiscard]] Database& database();
    /// The current keys, for the guard that checks them.
    [[nodiscard]] ApiKeyRing& api_keys();
    /// Browsers that have logged in.
    [[nodiscard]] Sessions& sessions();
    [[nodiscard]] Demo demo();
    /// For replacing the tz database after the start.
    [[nodiscard]] FollowTzdata& follow_tzdata();
    /// The result of one pass, run without the worker.
    struct Pass {
        std::uint64_t claimed, completed, failed, retrying;
    };
    [[nodiscard]] Pass tick(std::uint64_t limit);

private:
    void start_scheduler();
    /// The watches that waiting requests use: for work, locks, events of the feed, changes.
    void start_watches();
    [[nodiscard]] ProcessState process_state() const;
    /// Makes modules report their current values at each scrape.
    void add_metrics(Metrics& metrics);

    struct Modules;
    std::unique_ptr<Modules> modules_;
};

}  // namespace sundial::server
