#include "server/engine.hpp"

#include <thread>
#include <variant>

#include "adapters/http/api/api_key_routes.hpp"
#include "adapters/http/api/bulk_routes.hpp"
#include "adapters/http/api/endpoint_routes.hpp"
#include "adapters/http/api/event_routes.hpp"
#include "adapters/http/api/lock_routes.hpp"
#include "adapters/http/api/operation_routes.hpp"
#include "adapters/http/api/preview_routes.hpp"
#include "adapters/http/api/pull_routes.hpp"
#include "adapters/http/api/schedule_routes.hpp"
#include "adapters/http/api/stream_routes.hpp"
#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/api/timezone_routes.hpp"
#include "adapters/http/api/user_routes.hpp"
#include "adapters/redis/open.hpp"
#include "adapters/system/api_key_secrets.hpp"
#include "adapters/system/claim_log_file.hpp"
#include "adapters/system/digest.hpp"
#include "adapters/system/handler_delivery.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/lock_tokens.hpp"
#include "adapters/system/monotonic_clock.hpp"
#include "adapters/system/real_time.hpp"
#include "adapters/system/secret_box.hpp"
#include "adapters/webhook/destination.hpp"
#include "adapters/webhook/inbox_delivery.hpp"
#include "adapters/webhook/webhook_delivery.hpp"
#include "application/answer_once.hpp"
#include "application/append_to_stream.hpp"
#include "application/both_wakeups.hpp"
#include "application/engine_log.hpp"
#include "application/feed_watch.hpp"
#include "application/forget_old.hpp"
#include "application/keep_checkpoint.hpp"
#include "application/keep_stream.hpp"
#include "application/lock_waits.hpp"
#include "application/locks.hpp"
#include "application/logged_queue.hpp"
#include "application/maintenance.hpp"
#include "application/observed_pull_queue.hpp"
#include "application/observed_queue.hpp"
#include "application/observed_store.hpp"
#include "application/operation_tasks.hpp"
#include "application/ports/failures.hpp"
#include "application/pull_events.hpp"
#include "application/pull_watch.hpp"
#include "application/read_streams.hpp"
#include "application/reseal_secrets.hpp"
#include "application/settle_pulled.hpp"
#include "application/stored_locks.hpp"
#include "application/survey_tzdata.hpp"
#include "application/wakeups_after_commit.hpp"
#include "application/worker_loop.hpp"
#include "domain/time/text.hpp"
#include "server/health_checks.hpp"
#include "server/observers.hpp"
#include "server/version.hpp"
#include "sundial/single_flight.hpp"

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

std::vector<webhook::Door> doors_at(const std::vector<ListenAddress>& listeners) {
    std::vector<webhook::Door> doors;
    for (const ListenAddress& listener : listeners) {
        if (const auto address = webhook::parse_address(listener.host))
            doors.push_back({*address, listener.port});
    }
    return doors;
}

/// A test delivery goes where the endpoint's events would.
class ByEndpointType final : public Delivery {
public:
    ByEndpointType(Delivery& webhooks, Delivery& inbox) : webhooks_(webhooks), inbox_(inbox) {}
    void start(DeliveryRequest request, std::function<void(Outcome)> done) override {
        const bool to_inbox = request.endpoint && request.endpoint->type == EndpointType::inbox;
        (to_inbox ? inbox_ : webhooks_).start(std::move(request), std::move(done));
    }

private:
    Delivery& webhooks_;
    Delivery& inbox_;
};

/// A line in the log every ten seconds while the test clock is on its way.
AdvanceClock::Progress slow_progress(const MonotonicClock& monotonic, base::Log& log) {
    auto told = std::make_shared<std::chrono::microseconds>(monotonic.now());
    return [&monotonic, &log, told](const Advanced& advanced) {
        if (monotonic.now() - *told < std::chrono::seconds(10)) return;
        *told = monotonic.now();
        base::LogLine line;
        line.level = base::LogLevel::warn;  // seen under `dev` too: somebody waits for this
        line.message = "the clock is at " + format_instant_millis(advanced.now) + ": " +
                       std::to_string(advanced.delivered) + " delivered, " +
                       std::to_string(advanced.failed) + " failed";
        log.write(std::move(line));
    };
}

}  // namespace

/// The claim log, for whoever asked for one, and what writes to it.
struct Claims {
    Claims(const std::string& file, InstanceId instance, EventQueue& queue,
           const MonotonicClock& monotonic, base::Log& log)
        : log_file(file, instance, log), logged(queue, monotonic, log_file), sends(log_file) {}
    system::ClaimLogFile log_file;
    LoggedQueue logged;
    LoggedSends sends;
};

/// In the order in which they need each other.
struct Engine::Parts {
    Parts(std::unique_ptr<Database> opened, const EngineParts& given)
        : settings(given.settings),
          zones(given.zones),
          log(given.log),
          database(std::move(opened)),
          store(database->store(), monotonic, given.storage_observer, given.log),
          queue(database->queue(), monotonic, given.storage_observer),
          pull_queue(database->pull_queue(), monotonic, given.storage_observer),
          claims(
              settings.log.claims.empty()
                  ? nullptr
                  : std::make_unique<Claims>(settings.log.claims, instance, queue, monotonic, log)),
          secrets(given.encryption_keys),
          addresses(
              address_settings(settings), doors_at(given.listeners),
              [&opened_database = *database] { return doors_at(opened_database.listens_at()); }),
          urls(destination_settings(settings), addresses),
          webhooks(
              {.user_agent = settings.delivery.user_agent, .ca_file = settings.delivery.ca_file},
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
          told_wakeups(shared_wakeups ? *shared_wakeups : local_wakeups),
          wakeups(told_wakeups),
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
          create_api_key(store, key_secrets, ids),
          revoke_api_key(store, ids),
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

    /// In the database, or on a lock server if there is one.
    [[nodiscard]] std::unique_ptr<LockStore> open_lock_store() {
        if (settings.locks.url.empty()) return std::make_unique<StoredLocks>(store);
        return redis::open_locks(settings.locks.url, store);
    }

    /// So many of them at most; nothing if the lock server does not answer.
    [[nodiscard]] std::optional<std::size_t> locks_held() {
        try {
            return locks.list({.limit = 1000}).items.size();
        } catch (const Unavailable&) {
            return std::nullopt;
        }
    }

    /// What one instance does for all: see MaintenanceJob. Where a year passes in a moment nothing
    /// is forgotten.
    [[nodiscard]] std::vector<MaintenanceJob> maintenance_jobs() {
        std::vector<MaintenanceJob> jobs{{.name = "idempotency keys",
                                          .every = std::chrono::minutes{1},
                                          .batch = [this] { return answer_once.sweep(); }}};
        if (!database->clock().is_test()) {
            jobs.push_back({.name = "retention",
                            .every = std::chrono::minutes{10},
                            .batch = [this] { return forget_old.batch(); }});
        }
        return jobs;
    }

    /// Before anything is claimed: what came due in the meantime may not be due by the clock of
    /// today.
    void follow_tzdata() {
        if (settings.tz.on_change == "report") return follow.remember();
        // On SQLite nobody else can be ahead of this process.
        const bool alone = database->kind() == "sqlite";
        const auto followed = follow.run(alone ? Takeover::of_any : Takeover::of_older);
        const std::string release = zones.current()->release();
        if (!followed.before.empty())
            log.write(tzdb_changed_line(followed.before, release, followed.moved));
        if (!followed.newer.empty()) log.write(tzdb_behind_line(followed.newer, release));
    }

    /// After the encryption key has been replaced.
    void reseal() {
        const auto [resealed, unreadable] = reseal_secrets.run();
        const auto tell = [this](base::LogLevel level, std::size_t count, const char* what) {
            if (count == 0) return;
            base::LogLine line;
            line.level = level;
            line.message = std::to_string(count) + what;
            log.write(std::move(line));
        };
        tell(base::LogLevel::info, resealed,
             " endpoints' secrets are now sealed under the first of security.encryption_key");
        tell(base::LogLevel::warn, unreadable,
             " endpoints' secrets were sealed under a key that security.encryption_key does not "
             "hold: nothing can be sent to them");
    }

    [[nodiscard]] WorkerSettings worker_settings() {
        WorkerSettings of_worker{.instance = instance, .shards = queue.shards()};
        of_worker.slots = settings.delivery.workers;
        of_worker.claim_batch = settings.scheduler.claim_batch;
        of_worker.tick = settings.scheduler.tick;
        of_worker.lease = settings.scheduler.lease;
        of_worker.clock_stands_still = database->clock().is_test();
        return of_worker;
    }

    [[nodiscard]] EventQueue& claimed_from() {
        if (claims) return claims->logged;
        return queue;
    }
    [[nodiscard]] EngineObserver& observed_by(EngineObserver& observer) {
        observers.add(observer);
        if (claims) observers.add(claims->sends);
        return observers;
    }

    const Settings& settings;
    const TimeZones& zones;
    base::Log& log;
    std::unique_ptr<Database> database;
    system::BootClock monotonic;
    ObservedStore store;  // what people do; the worker tells of itself
    ObservedQueue queue;
    ObservedPullQueue pull_queue;
    system::SystemIds ids;
    system::SystemRandom random;
    InstanceId instance{ids.fresh()};
    std::unique_ptr<Claims> claims;  // null: no claim log
    Observers observers;
    system::SecretBox secrets;
    webhook::AddressRules addresses;
    webhook::UrlRules urls;
    webhook::WebhookDelivery webhooks;
    webhook::InboxDelivery inbox;
    system::HandlerDelivery in_process;
    PlanSuccessors plan;
    DeliverEvent deliver;
    AdmitEvents admit;
    JudgeReceivers judge;
    WorkerLoop loop;
    PullWatch watch;
    BothWakeups local_wakeups;
    std::unique_ptr<Wakeups> shared_wakeups;  // with the other instances; null: there are none
    WakeupsAfterCommit told_wakeups;
    Wakeups& wakeups;
    WakeupsAfterCommit watch_wakeups;
    PullEvents pull;
    SettlePulled settle_pulled;
    Operations operations;
    Tick tick;
    AdvanceClock advance;
    CreateUser create_user;
    EditUser edit_user;
    PutUser put_user;
    DeleteUser delete_user;
    ScheduleEvent schedule_event;
    EditEvent edit_event;
    CancelEvent cancel_event;
    RetryEvent retry_event;
    ExplainEvent explain_event;
    PreviewSchedule preview_schedule;
    CreateEndpoint create_endpoint;
    UnparkEvents unpark;
    EditEndpoint edit_endpoint;
    RotateSecret rotate_secret;
    ResealSecrets reseal_secrets;
    ByEndpointType test_deliveries;
    TestEndpoint test_endpoint;
    ReadInbox read_inbox;
    ClearInbox clear_inbox;
    EditSchedule edit_schedule;
    CreateSchedule create_schedule;
    PutSchedule put_schedule;
    DeleteSchedule delete_schedule;
    TriggerSchedule trigger_schedule;
    BackfillSchedule backfill_schedule;
    BulkEvents bulk_events;
    Queries queries;
    system::SystemApiKeySecrets key_secrets;
    ApiKeyRing keys;
    CreateApiKey create_api_key;
    RevokeApiKey revoke_api_key;
    FollowTzdata follow;
    SurveyTzdata survey;
    system::OpensslDigest digest;
    AppendToStream append_to_stream;
    KeepStream keep_stream;
    ReadStreams read_streams;
    KeepCheckpoint keep_checkpoint;
    FeedWatch feed_watch;
    AnswerOnce answer_once;
    http::KeyedAnswers keyed_answers;
    system::SystemLockTokens lock_tokens;
    LockWaits lock_waits;
    std::unique_ptr<LockStore> lock_store;
    Locks locks;
    ForgetOld forget_old;
    Maintenance maintenance;
    SingleFlight<std::monostate, std::string> scrapes;  // of /metrics
    std::thread worker;
    std::thread operations_worker;
    std::thread pull_watcher;
    std::thread feed_watcher;
    std::thread lock_watcher;
    std::thread maintainer;
};

Engine::Engine(std::unique_ptr<Database> database, const EngineParts& parts)
    : parts_(std::make_unique<Parts>(std::move(database), parts)) {}

Engine::~Engine() { stop(); }

void Engine::start() {
    parts_->follow_tzdata();
    parts_->reseal();
    (void)parts_->unpark.run_all();
    parts_->worker = std::thread([this] { parts_->loop.run(); });
    parts_->operations_worker = std::thread([this] { parts_->operations.run(); });
    parts_->pull_watcher = std::thread([this] { parts_->watch.run(); });
    parts_->lock_watcher = std::thread([this] { parts_->lock_waits.run(); });
    parts_->maintainer = std::thread([this] { parts_->maintenance.run(); });
    parts_->feed_watcher = std::thread([this] { parts_->feed_watch.run(); });
}

void Engine::end_waits() {
    parts_->watch.stop();
    parts_->lock_waits.stop();
    parts_->feed_watch.stop();
}

void Engine::stop() {
    end_waits();
    parts_->maintenance.stop();
    parts_->operations.shut_down();
    parts_->loop.stop();
    if (parts_->operations_worker.joinable()) parts_->operations_worker.join();
    if (parts_->worker.joinable()) parts_->worker.join();
    if (parts_->pull_watcher.joinable()) parts_->pull_watcher.join();
    if (parts_->lock_watcher.joinable()) parts_->lock_watcher.join();
    if (parts_->maintainer.joinable()) parts_->maintainer.join();
    if (parts_->feed_watcher.joinable()) parts_->feed_watcher.join();
}

ApiKeyRing& Engine::api_keys() { return parts_->keys; }

const http::KeyedAnswers& Engine::keyed_answers() { return parts_->keyed_answers; }

Database& Engine::database() { return *parts_->database; }

Demo Engine::demo() {
    return {parts_->create_user, parts_->create_endpoint, parts_->edit_schedule,
            parts_->schedule_event};
}

FollowTzdata& Engine::follow_tzdata() { return parts_->follow; }

Engine::Pass Engine::tick(std::uint64_t limit) {
    parts_->follow_tzdata();
    const Tally tally = parts_->tick.run(limit);
    return {tally.claimed, tally.completed, tally.failed, tally.retrying};
}

std::vector<http::HealthCheck> Engine::health() const {
    const auto begun = parts_->monotonic.now();
    std::optional<Instant> database_now;
    try {
        database_now = parts_->database->clock().now();
    } catch (const Unavailable&) {
        database_now.reset();  // that is the answer
    }
    std::vector<http::HealthCheck> checks{
        database_check(database_now.has_value(), parts_->monotonic.now() - begun),
        claim_loop_check(parts_->loop.stopping(), parts_->loop.turning())};
    if (const auto trouble = parts_->database->trouble()) {
        checks.push_back({"storage", http::HealthCheck::Status::fail, *trouble});
    }
    if (const auto file = sqlite_file(parts_->settings.storage.url)) {
        checks.push_back(disk_check(free_space_beside(*file)));
    }
    if (database_now && !parts_->database->clock().is_test()) {
        checks.push_back(clock_check(system::real_time() - *database_now));
    }
    return checks;
}

void Engine::add_routes(http::Router& router, Metrics& metrics) {
    Parts& p = *parts_;
    http::add_user_routes(router, {.create = p.create_user,
                                   .edit = p.edit_user,
                                   .put = p.put_user,
                                   .remove = p.delete_user,
                                   .queries = p.queries,
                                   .clock = p.database->clock()});
    http::add_event_routes(router, {.schedule = p.schedule_event,
                                    .edit = p.edit_event,
                                    .cancel = p.cancel_event,
                                    .retry = p.retry_event,
                                    .explain = p.explain_event,
                                    .queries = p.queries,
                                    .clock = p.database->clock(),
                                    .zones = p.zones});
    http::add_endpoint_routes(router, {.create = p.create_endpoint,
                                       .edit = p.edit_endpoint,
                                       .rotate = p.rotate_secret,
                                       .test = p.test_endpoint,
                                       .read_inbox = p.read_inbox,
                                       .clear_inbox = p.clear_inbox,
                                       .queries = p.queries,
                                       .default_timeout = p.settings.delivery.timeout,
                                       .circuit = p.settings.delivery.circuit});
    http::add_pull_routes(
        router, {.pull = p.pull, .settle = p.settle_pulled, .watch = p.watch, .zones = p.zones});
    http::add_schedule_routes(router, {.create = p.create_schedule,
                                       .put = p.put_schedule,
                                       .edit = p.edit_schedule,
                                       .remove = p.delete_schedule,
                                       .trigger = p.trigger_schedule,
                                       .backfill = p.backfill_schedule,
                                       .queries = p.queries,
                                       .zones = p.zones});
    http::add_timezone_routes(router,
                              {.zones = p.zones, .survey = p.survey, .clock = p.database->clock()});
    http::add_preview_routes(router, {.preview = p.preview_schedule});
    http::add_api_key_routes(router, {.create = p.create_api_key,
                                      .revoke = p.revoke_api_key,
                                      .ring = p.keys,
                                      .queries = p.queries});
    http::add_stream_routes(router, {.append = p.append_to_stream,
                                     .keep = p.keep_stream,
                                     .streams = p.read_streams,
                                     .checkpoints = p.keep_checkpoint,
                                     .watch = p.feed_watch,
                                     .ids = p.ids,
                                     .snapshot_ignored = [&metrics](std::string_view reason) {
                                         metrics.snapshot_ignored(reason);
                                     }});
    http::add_lock_routes(
        router, {.locks = p.locks,
                 .waits = p.lock_waits,
                 .waited = [&metrics](std::string_view outcome) { metrics.lock_waited(outcome); },
                 .contended = [&log = p.log](
                                  const LockHeld& held) { log.write(lock_contended_line(held)); }});
    http::add_operation_routes(router, {.operations = p.operations, .queries = p.queries});
    http::add_bulk_routes(router, {.bulk = p.bulk_events,
                                   .queries = p.queries,
                                   .clock = p.database->clock(),
                                   .zones = p.zones});
    const auto info = [&p] {
        return http::Info{.version = product_version(),
                          .commit = product_commit(),
                          .database = p.database->kind(),
                          .database_version = p.database->version(),
                          .database_note = p.database->note(),
                          .tz_release = p.zones.current()->release(),
                          .test_clock = p.database->clock().is_test(),
                          .instance = p.instance};
    };
    const auto metrics_text = [&p, &metrics]() -> std::optional<std::string> {
        if (!p.settings.telemetry.metrics) return std::nullopt;
        // Replicas of a scraper come at the same moments: the database counts its rows once for
        // all.
        const auto scrape = [&](const std::stop_token&) -> embedding::Result<std::string> {
            try {
                return metrics.render(
                    p.queue.depth(), p.operations.running(), p.database->connections(),
                    p.queries.circuits(most_endpoint_labels),
                    p.database->feed_meter().measure(most_follower_labels), p.locks_held());
            } catch (const Unavailable& away) {  // so say all who wait
                return embedding::Error{"STORAGE_UNAVAILABLE", away.what()};
            }
        };
        const auto scraped = p.scrapes.run({}, scrape);
        if (!scraped) throw Unavailable{scraped.error().detail};
        return **scraped;
    };
    http::add_system_routes(router, {.clock = p.database->clock(),
                                     .advance = p.advance,
                                     .tick = p.tick,
                                     .progress = slow_progress(p.monotonic, p.log),
                                     .info = info,
                                     .metrics = metrics_text});
}

}  // namespace sundial::server
