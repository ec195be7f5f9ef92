#include "server/engine_modules.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "adapters/system/clocks.hpp"
#include "application/observation/engine_log.hpp"
#include "application/operations/operation_tasks.hpp"
#include "application/ports/failures.hpp"
#include "server/tracing.hpp"
#include "server/version.hpp"

namespace sundial::server {
namespace {

WorkerSettings worker_settings(Platform& p) {
    WorkerSettings of_worker{.instance = p.instance,
                             .shards = p.storage.shards(),
                             .claims_at_once = p.storage.claims_at_once()};
    of_worker.slots = p.settings.delivery.workers;
    of_worker.claim_batch = p.settings.scheduler.claim_batch;
    of_worker.tick = p.settings.scheduler.tick;
    of_worker.lease = p.settings.scheduler.lease;
    of_worker.clock_stands_still = p.database->clock().is_test();
    return of_worker;
}

DeliveryModule::Ports delivery_ports(Platform& p, const Handlers& handlers) {
    return {.store = p.worked_on(),
            .queue = p.claimed_from(),
            .zones = p.zones,
            .ids = p.ids,
            .random = p.random,
            .monotonic = p.monotonic,
            .log = p.log,
            .observer = p.observers,
            .kinds = p.kinds,
            .in_process = p.in_process,
            .handlers = handlers,
            .permit = p.permit,
            .presence = *p.presence,
            .trace_share = trace_share(p.settings)};
}

WakeupsModule::Settings wakeups_settings(Platform& p) {
    const auto tick = p.settings.scheduler.tick;
    return {.tick = tick,
            .clock_stands_still = p.database->clock().is_test(),
            .share = [&database = *p.database, tick](Wakeups& local) {
                return database.share_wakeups(local, tick);
            }};
}

ModulePorts module_ports(Platform& p, Wakeups& wakeups) {
    return {.instance = p.instance,
            .store = p.storage,
            .zones = p.zones,
            .ids = p.ids,
            .random = p.random,
            .monotonic = p.monotonic,
            .wakeups = wakeups,
            .log = p.log,
            .tracer = p.tracer};
}

/// Whether no other instance works on the database, or none could ever take over.
bool is_alone(Database& database) {
    return database.kind() == "sqlite" || database.clock().is_test();
}

Operations::Ports operations_ports(const ModulePorts& p) {
    return {.store = p.store,
            .ids = p.ids,
            .wakeups = p.wakeups,
            .monotonic = p.monotonic,
            .log = p.log,
            .make_task = operation_tasks(p.store, p.zones, p.ids, p.wakeups)};
}

/// Made before the worker loop starts, so no claim comes before `started_at`.
ReportInstance::Self self_of(const Platform& p) {
    return {.id = p.instance,
            .started_at = p.database->clock().now(),
            .version = product_version(),
            .roles = names_of(p.settings.scheduler.roles),
            .slots = p.settings.scheduler.roles.worker
                         ? static_cast<std::uint32_t>(p.settings.delivery.workers)
                         : 0};
}

PingSettings ping_settings(const Settings& settings) {
    return {.url = settings.scheduler.roles.worker ? settings.ping.url : std::string(),
            .every = settings.ping.every};
}

/// Throws CannotStart.
Delivery* ping_delivery(Platform& p) {
    const std::string& url = p.settings.ping.url;
    if (!url.empty()) {
        if (const auto refused = p.kinds.refuse_ping("ping.url", url)) {
            throw CannotStart("ping.url: " + refused->message);
        }
    }
    EndpointKind* const kind = p.kinds.of_pings();
    return kind == nullptr ? nullptr : kind->delivery();
}

}  // namespace

Engine::Modules::Modules(std::unique_ptr<Database> opened, const EngineParts& given)
    : platform(std::move(opened), given),
      delivery(delivery_ports(platform, given.handlers), worker_settings(platform),
               platform.settings.delivery.circuit),
      wakeups({.loop = delivery.loop,
               .pull_queue = platform.storage,
               .monotonic = platform.monotonic,
               .log = platform.log},
              wakeups_settings(platform)),
      ports(module_ports(platform, wakeups.everywhere)),
      queries(ports.store),
      pull(ports, {.pull_queue = platform.storage,
                   .queue = platform.storage,
                   .delivery = delivery,
                   .wakeups = wakeups,
                   .observer = platform.counting}),
      operations({.instance = ports.instance, .lease = platform.settings.scheduler.lease},
                 operations_ports(ports)),
      clock(platform.database->clock(), platform.storage, operations, delivery.loop),
      users(ports),
      events(ports, operations, platform.kinds),
      endpoints(ports, platform.kinds, platform.secrets, platform.settings.scheduler.lease),
      schedules(ports, operations, platform.kinds),
      intake({.store = ports.store,
              .zones = ports.zones,
              .ids = ports.ids,
              .wakeups = ports.wakeups,
              .log = ports.log,
              .put_schedule = schedules.put,
              .delete_schedule = schedules.remove}),
      outboxes(platform.settings, ports.instance, is_alone(*platform.database),
               {.store = ports.store,
                .schedule_event = events.schedule,
                .create_schedule = schedules.create,
                .put_schedule = schedules.put,
                .create_user = users.create,
                .put_user = users.put,
                .monotonic = ports.monotonic,
                .log = ports.log}),
      access(ports, platform.key_secrets, platform.settings.security.session),
      calendars(ports, platform.key_secrets, platform.digest),
      timezones(ports),
      streams({.store = ports.store,
               .feed = platform.database->feed(),
               .digest = platform.digest,
               .monotonic = ports.monotonic,
               .log = ports.log},
              platform.settings.scheduler.tick),
      answer_once(platform.database->store(), platform.digest, platform.secrets,
                  {.keep = platform.settings.retention.idempotency}),
      keyed_answers(answer_once),
      locks({.store = *platform.lock_store,
             .tokens = platform.lock_tokens,
             .random = ports.random,
             .monotonic = ports.monotonic}),
      forget_old(platform.database->retention(), platform.settings.retention.events),
      instances(self_of(platform),
                {.store = ports.store,
                 .monotonic = ports.monotonic,
                 .facts = [this](Instant now) { return facts_at(now); },
                 .drain = given.on_drain},
                ports.ids),
      stats(ports, platform.collected),
      pings(ping_settings(platform.settings),
            {.store = ports.store,
             .delivery = ping_delivery(platform),
             .ids = ports.ids,
             .monotonic = ports.monotonic,
             .log = ports.log,
             .engine_works = [this] { return delivery.loop.working(); },
             .time_of_day = system::real_time}),
      recorder({[this] { stats.record.run(); }, [this] { instances.report.run(); }}, ports.log),
      live(std::make_shared<http::LiveHub>(
          http::LiveHub::Ports{.streams = streams,
                               .meter = platform.database->feed_meter(),
                               .stats = stats.read,
                               .queries = queries,
                               .store = ports.store,
                               .monotonic = ports.monotonic,
                               .log = ports.log})),
      maintenance({.locks = locks.locks, .monotonic = ports.monotonic, .log = ports.log},
                  "instance " + to_string(ports.instance), maintenance_jobs()) {
    clock.advance.run_first([this] {
        intake.run();
        outboxes.look();
    });
    platform.counting.add(*live);
    platform.counting.add(pings);
    platform.storage.on_append([this] { streams.watch.appended(); });
}

std::vector<MaintenanceJob> Engine::Modules::maintenance_jobs() {
    std::vector<MaintenanceJob> jobs{{.name = "idempotency keys",
                                      .every = std::chrono::minutes{1},
                                      .batch = [this] { return answer_once.sweep(); }},
                                     {.name = "parked events",
                                      .every = std::chrono::minutes{10},
                                      .first_after = std::chrono::minutes{1},
                                      .batch = [this] { return unpark_all(); }}};
    jobs.push_back({.name = "counters", .every = std::chrono::minutes{10}, .batch = [this] {
                        return forget_stats(ports.store);
                    }});
    jobs.push_back({.name = "history index", .every = between_summaries, .batch = [this] {
                        return platform.database->retention().summarise(ranges_of_a_batch);
                    }});
    if (!platform.database->clock().is_test()) {
        jobs.push_back({.name = "retention", .every = std::chrono::minutes{10}, .batch = [this] {
                            return forget_old.batch();
                        }});
    }
    return jobs;
}

ReportInstance::Facts Engine::Modules::facts_at(Instant now) const {
    const bool test_clock = platform.database->clock().is_test();
    return {.held = static_cast<std::uint32_t>(delivery.loop.held()),
            .draining = delivery.loop.stopping(),
            .last_claim_at = delivery.loop.last_claim(),
            .clock_skew = test_clock ? std::chrono::microseconds{0} : system::real_time() - now};
}

std::vector<std::vector<std::string>> Engine::Modules::running_roles() {
    std::vector<std::vector<std::string>> running;
    ports.store.read([&](Transaction& tx) {
        const Instant now = tx.now();
        running.clear();
        for (InstanceReport& report : tx.instances().list()) {
            if (now - report.reported_at > silent_instance_after || report.draining) continue;
            running.push_back(std::move(report.roles));
        }
    });
    return running;
}

void Engine::Modules::end_recording() {
    recorder.stop();
    if (!recording.joinable()) return;
    recording.join();
    try {
        stats.record.finish();
        instances.report.retire();
    } catch (const Unavailable&) {
        return;  // the counters lack this instance's last minute; its report is forgotten later
    }
}

bool Engine::Modules::unpark_all() {
    // Some events still wait if the process that enabled their endpoint failed or died before it
    // released them. The count shows whether any do. On PostgreSQL it reads all live rows, so this
    // does not run every minute, nor beside the first claims.
    if (platform.storage.depth().waiting_for_endpoint > 0) (void)endpoints.unpark.run_all();
    return false;
}

void Engine::Modules::follow_tzdata() {
    if (platform.settings.tz.on_change == "report") return timezones.follow.remember();
    // On SQLite this is the only process, so no other can have a newer release.
    const bool alone = platform.database->kind() == "sqlite";
    const auto followed = timezones.follow.run(alone ? Takeover::of_any : Takeover::of_older);
    const std::string release = platform.zones.current()->release();
    if (!followed.before.empty())
        platform.log.write(tzdb_changed_line(followed.before, release, followed.moved));
    if (!followed.newer.empty()) platform.log.write(tzdb_behind_line(followed.newer, release));
}

void Engine::Modules::reseal() {
    const auto [resealed, unreadable, unsealed] = endpoints.reseal.run();
    const auto report = [this](base::LogLevel level, std::size_t count, const char* what) {
        if (count == 0) return;
        base::LogLine line;
        line.level = level;
        line.message = std::to_string(count) + what;
        platform.log.write(std::move(line));
    };
    report(base::LogLevel::info, resealed,
           " endpoints' secrets and header values have been encrypted with the first key of "
           "security.encryption_key");
    report(base::LogLevel::warn, unreadable,
           " endpoints' secrets or header values are encrypted with a key that "
           "security.encryption_key does not have: nothing can be sent to these endpoints. Add the "
           "key");
    report(base::LogLevel::warn, unsealed,
           " endpoints have unencrypted header values in the database; the next start with "
           "security.encryption_key encrypts them");
}

}  // namespace sundial::server
