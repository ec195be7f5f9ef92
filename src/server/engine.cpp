#include "server/engine.hpp"

#include <utility>

#include "adapters/system/clocks.hpp"
#include "application/ports/failures.hpp"
#include "server/engine_modules.hpp"
#include "server/health.hpp"

namespace sundial::server {

Engine::Engine(std::unique_ptr<Database> database, const EngineParts& parts)
    : modules_(std::make_unique<Modules>(std::move(database), parts)) {}

Engine::~Engine() { stop(); }

void Engine::start() {
    const Roles& roles = modules_->platform.settings.scheduler.roles;
    if (roles.scheduler) {
        start_scheduler();
    } else {
        modules_->timezones.follow.remember();
    }
    if (roles.worker) modules_->worker = std::thread([this] { modules_->delivery.loop.run(); });
    if (roles.api) start_watches();
    modules_->recording = std::thread([this] { modules_->recorder.run(); });
    modules_->pinger = std::thread([this] { modules_->pings.run(); });
}

void Engine::start_scheduler() {
    modules_->follow_tzdata();
    modules_->reseal();
    (void)modules_->endpoints.unpark.run_all();
    modules_->operations_worker = std::thread([this] { modules_->operations.run(); });
    modules_->intake_worker = std::thread([this] {
        modules_->intake.watch(modules_->wakeups.intake,
                               modules_->platform.settings.scheduler.tick);
    });
    modules_->outboxes.start(modules_->platform.settings.scheduler.tick);
    modules_->maintainer = std::thread([this] { modules_->maintenance.run(); });
}

void Engine::start_watches() {
    modules_->pull_watcher = std::thread([this] { modules_->wakeups.watch.run(); });
    modules_->lock_watcher = std::thread([this] { modules_->locks.waits.run(); });
    modules_->live_sender = std::thread([this] { modules_->live->run(); });
    modules_->feed_watcher = std::thread([this] { modules_->streams.watch.run(); });
}

void Engine::end_waits() {
    modules_->wakeups.watch.stop();
    modules_->locks.waits.stop();
    modules_->live->stop();
    modules_->streams.watch.stop();
}

void Engine::stop() {
    end_waits();
    modules_->maintenance.stop();
    modules_->operations.shut_down();
    modules_->wakeups.intake.stop();
    modules_->delivery.loop.stop();
    modules_->outboxes.stop();
    modules_->pings.stop();
    if (modules_->intake_worker.joinable()) modules_->intake_worker.join();
    if (modules_->operations_worker.joinable()) modules_->operations_worker.join();
    if (modules_->worker.joinable()) modules_->worker.join();
    if (modules_->pull_watcher.joinable()) modules_->pull_watcher.join();
    if (modules_->lock_watcher.joinable()) modules_->lock_watcher.join();
    if (modules_->maintainer.joinable()) modules_->maintainer.join();
    if (modules_->feed_watcher.joinable()) modules_->feed_watcher.join();
    if (modules_->live_sender.joinable()) modules_->live_sender.join();
    if (modules_->pinger.joinable()) modules_->pinger.join();
    modules_->end_recording();
}

ApiKeyRing& Engine::api_keys() { return modules_->access.keys; }

Sessions& Engine::sessions() { return modules_->access.sessions; }

const http::KeyedAnswers& Engine::keyed_answers() { return modules_->keyed_answers; }

Database& Engine::database() { return *modules_->platform.database; }

Demo Engine::demo() {
    return {modules_->users.create, modules_->endpoints.create, modules_->schedules.edit,
            modules_->events.schedule};
}

FollowTzdata& Engine::follow_tzdata() { return modules_->timezones.follow; }

Engine::Pass Engine::tick(std::uint64_t limit) {
    modules_->follow_tzdata();
    modules_->reseal();
    modules_->intake.run();
    modules_->outboxes.look();
    const TickCounters counters = modules_->clock.tick.run(limit);
    return {counters.claimed, counters.completed, counters.failed, counters.retrying};
}

bool Engine::makes_progress() const {
    return !modules_->platform.settings.scheduler.roles.worker || modules_->delivery.loop.turning();
}

std::vector<http::HealthCheck> Engine::health() const {
    const auto begun = modules_->platform.monotonic.now();
    const Roles& roles = modules_->platform.settings.scheduler.roles;
    std::optional<Instant> database_now;
    std::optional<http::HealthCheck> intakes, others;
    try {
        database_now = modules_->platform.database->clock().now();
        if (!roles.does_all_work()) others = roles_check(modules_->running_roles());
        if (roles.scheduler && !modules_->platform.settings.storage.intake.empty()) {
            intakes = intakes_check(modules_->platform.settings, modules_->queries);
        }
    } catch (const Unavailable&) {
        database_now.reset();  // reported by database_check
    }
    std::vector<http::HealthCheck> checks{
        database_check(database_now.has_value(), modules_->platform.monotonic.now() - begun)};
    if (roles.worker) {
        checks.push_back(claim_loop_check(modules_->delivery.loop.stopping(),
                                          modules_->delivery.loop.turning()));
    }
    if (const auto write_failure = modules_->platform.database->write_failure()) {
        checks.push_back({"storage", http::HealthCheck::Status::fail, *write_failure});
    }
    checks.push_back(api_keys_check(modules_->access.keys.expiring()));
    if (const auto file = sqlite_file(modules_->platform.settings.storage.url)) {
        checks.push_back(disk_check(free_space_of(*file)));
    }
    if (intakes) checks.push_back(*std::move(intakes));
    if (others) checks.push_back(*std::move(others));
    if (database_now && !modules_->platform.database->clock().is_test()) {
        checks.push_back(clock_check(system::real_time() - *database_now));
    }
    return checks;
}

}  // namespace sundial::server
