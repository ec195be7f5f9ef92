#include "server/engine_parts.hpp"

#include <chrono>
#include <utility>

#include "adapters/redis/open.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/observation/engine_log.hpp"
#include "application/operations/operation_tasks.hpp"
#include "application/ports/failures.hpp"

namespace sundial::server {
namespace {

constexpr std::size_t handler_threads = 4;

EndpointSettings endpoint_settings(const Settings& settings) {
    return {.lease = settings.scheduler.lease, .allow_inbox = settings.ui.inbox};
}

webhook::DestinationSettings destination_settings(const Settings& settings) {
    return {.allow_http = settings.delivery.allow_http, .ports = settings.delivery.ports};
}

webhook::AddressSettings address_settings(const Settings& settings) {
    return {.allow = settings.delivery.allow,
            .deny = settings.delivery.deny,
            .allow_private = settings.delivery.allow_private};
}

std::vector<webhook::OwnListener> listeners_at(const std::vector<ListenAddress>& listeners) {
    std::vector<webhook::OwnListener> own_listeners;
    for (const ListenAddress& listener : listeners) {
        if (const auto address = webhook::parse_address(listener.host))
            own_listeners.push_back({*address, listener.port});
    }
    return own_listeners;
}

}  // namespace

Engine::Parts::Parts(std::unique_ptr<Database> opened, const EngineParts& given)
    : settings(given.settings),
      zones(given.zones),
      log(given.log),
      database(std::move(opened)),
      store(database->store(), monotonic, given.storage_observer, given.log),
      queue(database->queue(), monotonic, given.storage_observer),
      pull_queue(database->pull_queue(), monotonic, given.storage_observer),
      claims(settings.log.claims.empty()
                 ? nullptr
                 : std::make_unique<Claims>(settings.log.claims, instance, queue, monotonic, log)),
      secrets(given.encryption_keys),
      addresses(
          address_settings(settings), listeners_at(given.listeners),
          [&opened_database = *database] { return listeners_at(opened_database.listens_at()); }),
      urls(destination_settings(settings), addresses),
      webhooks({.user_agent = settings.delivery.user_agent, .ca_file = settings.delivery.ca_file},
               urls, secrets, monotonic),
      inbox(store, ids, settings.delivery.user_agent),
      in_process(given.handlers, monotonic, handler_threads),
      plan(database->store(), zones, ids),
      deliver(database->store(), zones, ids,
              {.webhook = webhooks,
               .inbox = inbox,
               .in_process = &in_process,
               .handlers = given.handlers}),
      admit(database->store(), random),
      judge(database->store(), settings.delivery.circuit),
      loop(worker_settings(), {claimed_from(), plan, deliver, admit, judge, monotonic, random,
                               given.log, observed_by(given.observer)}),
      watch(pull_queue, monotonic, log, settings.scheduler.tick, database->clock().is_test()),
      local_wakeups(loop, watch),
      shared_wakeups(database->share_wakeups(local_wakeups, settings.scheduler.tick)),
      commit_wakeups(shared_wakeups ? *shared_wakeups : local_wakeups),
      wakeups(commit_wakeups),
      watch_wakeups(watch),
      pull(instance, {.store = store,
                      .pull_queue = pull_queue,
                      .queue = queue,
                      .plan = plan,
                      .deliver = deliver,
                      .monotonic = monotonic,
                      .random = random,
                      .log = log,
                      .observer = given.observer,
                      .wakeups = wakeups}),
      settle_pulled({.store = store,
                     .queue = queue,
                     .random = random,
                     .log = log,
                     .observer = given.observer,
                     .wakeups = watch_wakeups}),
      operations({.instance = instance, .lease = settings.scheduler.lease},
                 {.store = store,
                  .ids = ids,
                  .wakeups = wakeups,
                  .monotonic = monotonic,
                  .log = log,
                  .make_task = operation_tasks(store, zones, ids, wakeups)}),
      tick(loop),
      advance(database->clock(), queue, operations, loop),
      create_user(store, zones, ids, wakeups),
      edit_user(store, zones, ids, wakeups),
      put_user(create_user, edit_user),
      delete_user(store, ids),
      schedule_event(store, zones, ids, wakeups),
      edit_event(store, zones, wakeups),
      cancel_event(store, zones, ids, wakeups),
      retry_event(store, ids, wakeups),
      explain_event(store, zones),
      preview_schedule(store, zones),
      create_endpoint(store, secrets, urls, ids, endpoint_settings(settings)),
      unpark(store, wakeups),
      edit_endpoint(store, secrets, urls, ids, unpark, log, endpoint_settings(settings)),
      rotate_secret(store, secrets, ids),
      reseal_secrets(store, secrets),
      test_deliveries(webhooks, inbox),
      test_endpoint(store, test_deliveries, ids),
      read_inbox(store),
      clear_inbox(store),
      edit_schedule(store, zones, ids, operations),
      create_schedule(store, zones, ids, wakeups, operations),
      put_schedule(create_schedule, edit_schedule),
      delete_schedule(store, ids),
      trigger_schedule(store, zones, ids, wakeups),
      backfill_schedule(store, zones, operations),
      bulk_events(store, zones, operations, log),
      queries(store),
      keys(store, key_secrets, monotonic),
      create_api_key(store, key_secrets, ids, [this] { return keys.fixed_roles(); }),
      revoke_api_key(store, ids, [this] { return keys.fixed_roles(); }),
      follow(store, zones, ids, wakeups),
      survey(store, zones),
      append_to_stream(store, digest),
      keep_stream(store),
      read_streams(store, database->feed()),
      keep_checkpoint(store),
      feed_watch(database->feed(), monotonic, log, settings.scheduler.tick),
      answer_once(database->store(), digest, secrets, {.keep = settings.retention.idempotency}),
      keyed_answers(answer_once),
      lock_store(open_lock_store()),
      locks({.store = *lock_store,
             .tokens = lock_tokens,
             .waits = lock_waits,
             .random = random,
             .monotonic = monotonic}),
      forget_old(database->retention(), settings.retention.events),
      maintenance({.locks = locks, .monotonic = monotonic, .log = log},
                  "instance " + to_string(instance), maintenance_jobs()) {
    store.on_append([this] { feed_watch.appended(); });
}

std::unique_ptr<LockStore> Engine::Parts::open_lock_store() {
    if (settings.locks.url.empty()) return std::make_unique<StoredLocks>(store);
    return redis::open_locks(settings.locks.url, store);
}

std::optional<std::size_t> Engine::Parts::locks_held() {
    try {
        return locks.list({.limit = 1000}).items.size();
    } catch (const Unavailable&) {
        return std::nullopt;
    }
}

std::vector<MaintenanceJob> Engine::Parts::maintenance_jobs() {
    std::vector<MaintenanceJob> jobs{{.name = "idempotency keys",
                                      .every = std::chrono::minutes{1},
                                      .batch = [this] { return answer_once.sweep(); }},
                                     {.name = "parked events",
                                      .every = std::chrono::minutes{10},
                                      .batch = [this] { return unpark_all(); }}};
    if (!database->clock().is_test()) {
        jobs.push_back({.name = "retention", .every = std::chrono::minutes{10}, .batch = [this] {
                            return forget_old.batch();
                        }});
    }
    return jobs;
}

bool Engine::Parts::unpark_all() {
    // Some events still wait if the process that enabled their endpoint failed or died before it
    // released them. The count shows whether any do. On PostgreSQL it reads all live rows, so this
    // does not run every minute.
    if (queue.depth().waiting_for_endpoint > 0) (void)unpark.run_all();
    return false;
}

void Engine::Parts::follow_tzdata() {
    if (settings.tz.on_change == "report") return follow.remember();
    // On SQLite this is the only process, so no other can have a newer release.
    const bool alone = database->kind() == "sqlite";
    const auto followed = follow.run(alone ? Takeover::of_any : Takeover::of_older);
    const std::string release = zones.current()->release();
    if (!followed.before.empty())
        log.write(tzdb_changed_line(followed.before, release, followed.moved));
    if (!followed.newer.empty()) log.write(tzdb_behind_line(followed.newer, release));
}

void Engine::Parts::reseal() {
    const auto [resealed, unreadable, unsealed] = reseal_secrets.run();
    const auto report = [this](base::LogLevel level, std::size_t count, const char* what) {
        if (count == 0) return;
        base::LogLine line;
        line.level = level;
        line.message = std::to_string(count) + what;
        log.write(std::move(line));
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

WorkerSettings Engine::Parts::worker_settings() {
    WorkerSettings of_worker{.instance = instance, .shards = queue.shards()};
    of_worker.slots = settings.delivery.workers;
    of_worker.claim_batch = settings.scheduler.claim_batch;
    of_worker.tick = settings.scheduler.tick;
    of_worker.lease = settings.scheduler.lease;
    of_worker.clock_stands_still = database->clock().is_test();
    return of_worker;
}

EventQueue& Engine::Parts::claimed_from() {
    if (claims) return claims->logged;
    return queue;
}

EngineObserver& Engine::Parts::observed_by(EngineObserver& observer) {
    observers.add(observer);
    if (claims) observers.add(claims->sends);
    return observers;
}

}  // namespace sundial::server
