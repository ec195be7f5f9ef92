#include "server/engine.hpp"

#include <utility>

#include "adapters/system/clocks.hpp"
#include "application/ports/failures.hpp"
#include "server/engine_parts.hpp"
#include "server/health.hpp"

namespace sundial::server {

Engine::Engine(std::unique_ptr<Database> database, const EngineParts& parts)
    : parts_(std::make_unique<Parts>(std::move(database), parts)) {}

Engine::~Engine() { stop(); }

void Engine::start() {
    parts_->follow_tzdata();
    parts_->reseal();
    (void)parts_->endpoints.unpark.run_all();
    parts_->worker = std::thread([this] { parts_->delivery.loop.run(); });
    parts_->operations_worker = std::thread([this] { parts_->operations.run(); });
    parts_->pull_watcher = std::thread([this] { parts_->wakeups.watch.run(); });
    parts_->lock_watcher = std::thread([this] { parts_->locks.waits.run(); });
    parts_->maintainer = std::thread([this] { parts_->maintenance.run(); });
    parts_->feed_watcher = std::thread([this] { parts_->streams.watch.run(); });
}

void Engine::end_waits() {
    parts_->wakeups.watch.stop();
    parts_->locks.waits.stop();
    parts_->streams.watch.stop();
}

void Engine::stop() {
    end_waits();
    parts_->maintenance.stop();
    parts_->operations.shut_down();
    parts_->delivery.loop.stop();
    if (parts_->operations_worker.joinable()) parts_->operations_worker.join();
    if (parts_->worker.joinable()) parts_->worker.join();
    if (parts_->pull_watcher.joinable()) parts_->pull_watcher.join();
    if (parts_->lock_watcher.joinable()) parts_->lock_watcher.join();
    if (parts_->maintainer.joinable()) parts_->maintainer.join();
    if (parts_->feed_watcher.joinable()) parts_->feed_watcher.join();
}

ApiKeyRing& Engine::api_keys() { return parts_->access.keys; }

const http::KeyedAnswers& Engine::keyed_answers() { return parts_->keyed_answers; }

Database& Engine::database() { return *parts_->platform.database; }

Demo Engine::demo() {
    return {parts_->users.create, parts_->endpoints.create, parts_->schedules.edit,
            parts_->events.schedule};
}

FollowTzdata& Engine::follow_tzdata() { return parts_->timezones.follow; }

Engine::Pass Engine::tick(std::uint64_t limit) {
    parts_->follow_tzdata();
    parts_->reseal();
    const TickCounters counters = parts_->clock.tick.run(limit);
    return {counters.claimed, counters.completed, counters.failed, counters.retrying};
}

std::vector<http::HealthCheck> Engine::health() const {
    const auto begun = parts_->platform.monotonic.now();
    std::optional<Instant> database_now;
    try {
        database_now = parts_->platform.database->clock().now();
    } catch (const Unavailable&) {
        database_now.reset();  // reported by database_check
    }
    std::vector<http::HealthCheck> checks{
        database_check(database_now.has_value(), parts_->platform.monotonic.now() - begun),
        claim_loop_check(parts_->delivery.loop.stopping(), parts_->delivery.loop.turning())};
    if (const auto trouble = parts_->platform.database->trouble()) {
        checks.push_back({"storage", http::HealthCheck::Status::fail, *trouble});
    }
    checks.push_back(api_keys_check(parts_->access.keys.expiring()));
    if (const auto file = sqlite_file(parts_->platform.settings.storage.url)) {
        checks.push_back(disk_check(free_space_of(*file)));
    }
    if (database_now && !parts_->platform.database->clock().is_test()) {
        checks.push_back(clock_check(system::real_time() - *database_now));
    }
    return checks;
}

}  // namespace sundial::server
