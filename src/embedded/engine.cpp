#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/system/digest.hpp"
#include "adapters/system/handler_delivery.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/lock_tokens.hpp"
#include "adapters/system/monotonic_clock.hpp"
#include "adapters/zones/cctz_time_zones.hpp"
#include "application/delivery/advance_clock.hpp"
#include "application/delivery/both_wakeups.hpp"
#include "application/delivery/handlers.hpp"
#include "application/delivery/worker_loop.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/unpark_events.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/locks/lock_guard.hpp"
#include "application/locks/lock_waits.hpp"
#include "application/locks/locks.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/maintenance/forget_old.hpp"
#include "application/maintenance/maintenance.hpp"
#include "application/operations/operation_tasks.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/failures.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/pull_watch.hpp"
#include "application/pull/settle_pulled.hpp"
#include "application/requests/queries.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "application/users/create_user.hpp"
#include "application/users/delete_user.hpp"
#include "domain/time/text.hpp"
#include "embedded/answers.hpp"
#include "embedded/lock.hpp"
#include "embedded/pull_worker.hpp"
#include "embedded/storage.hpp"
#include "embedded/streams.hpp"
#include "sundial/embedding.hpp"

namespace sundial::embedding {
namespace {

constexpr std::size_t handler_threads = 4;
constexpr const char* correlation_id = "";  // there is no HTTP request

/// Passes lines on to the program's callback.
class CallbackLog final : public base::Log {
public:
    explicit CallbackLog(std::function<void(const std::string&)> listener)
        : listener_(std::move(listener)) {}
    void write(base::LogLine line) override {
        if (!listener_) return;
        listener_(line.event_name.empty() ? line.message : line.event_name + ": " + line.message);
    }
    [[nodiscard]] bool wants(base::LogLevel /*level*/) const override {
        return static_cast<bool>(listener_);
    }

private:
    const std::function<void(const std::string&)> listener_;
};

/// This engine has no webhooks, so this is never called.
class NoDelivery final : public Delivery {
public:
    void start(DeliveryRequest /*request*/, std::function<void(Outcome)> done) override {
        Outcome outcome;
        outcome.verdict = Verdict::permanent;
        outcome.error = DeliveryErrorCode::worker;
        outcome.error_text = "this program delivers to its own handlers only";
        done(std::move(outcome));
    }
};

/// Nor do queues have secrets.
class NoSecrets final : public Secrets {
public:
    sundial::Result<NewSecret> seal(const std::optional<std::string>& /*given*/) override {
        return NewSecret{};
    }
    sundial::Result<NewKeyPair> new_key_pair() override { return NewKeyPair{}; }
    std::optional<std::string> seal_text(std::string_view /*text*/) override { return {}; }
    std::string open(const std::string& /*sealed*/) override { return {}; }
    std::optional<std::string> resealed(const std::string& /*sealed*/) override { return {}; }
};

class NoDestinations final : public DestinationRules {
public:
    [[nodiscard]] std::optional<FieldError> refuse(std::string_view /*url*/) const override {
        return FieldError{"/url", "not_allowed", "this program has no webhooks"};
    }
    [[nodiscard]] std::string origin(std::string_view /*url*/) const override { return {}; }
};

sundial::Handled as_domain(const Handled& handled) {
    switch (handled.verdict()) {
        case Handled::Verdict::done:
            return {Verdict::accepted, {}};
        case Handled::Verdict::retry:
            return {Verdict::retryable, handled.reason()};
        case Handled::Verdict::refused:
            break;
    }
    return {Verdict::permanent, handled.reason()};
}

/// Finished events are kept as long as a server keeps them by default.
std::vector<MaintenanceJob> maintenance_jobs(Retention* retention) {
    if (retention == nullptr) return {};
    return {{.name = "retention",
             .every = std::chrono::minutes{10},
             .batch = [forget_old = ForgetOld{*retention, RetentionTerms{}}]() mutable {
                 return forget_old.batch();
             }}};
}

std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

/// Members in the order in which they depend on each other.
struct Engine::Parts {
    explicit Parts(const Options& options)
        : log(options.log),
          zones(options.zoneinfo),
          storage(open_storage(options, log)),
          plan(store, zones, ids),
          deliver(store, zones, ids,
                  {.webhook = nowhere,
                   .inbox = nowhere,
                   .in_process = &in_process,
                   .handlers = handlers}),
          loop({.instance = instance,
                .shards = queue.shards(),
                .clock_stands_still = options.test_clock},
               {queue, plan, deliver, admit, judge, monotonic, random, log, observer}),
          watch(storage->pull_queue(), monotonic, log, std::chrono::seconds{1}, options.test_clock),
          feed_watch(storage->feed(), monotonic, log, std::chrono::seconds{1}),
          streams(std::make_shared<Streams::Parts>(store, storage->feed(), feed_watch, digest, ids,
                                                   log)) {
        // Events planned with an earlier tz database keep their local time.
        (void)FollowTzdata{store, zones, ids, loop}.run(Takeover::of_older);
        // With a test clock the engine is never started.
        if (clock.is_test()) unpark_handled();
        watcher = std::thread([this] { watch.run(); });
        feed_watcher = std::thread([this] { feed_watch.run(); });
    }
    ~Parts() { stop(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    void stop() {
        operations.shut_down();
        loop.stop();
        watch.stop();
        feed_watch.stop();
        lock_waits.stop();
        maintenance.stop();
        if (maintainer.joinable()) maintainer.join();
        if (watcher.joinable()) watcher.join();
        if (feed_watcher.joinable()) feed_watcher.join();
        if (operations_worker.joinable()) operations_worker.join();
        in_process.stop();  // the loop still runs and settles the results
        if (worker.joinable()) worker.join();
    }

    /// Events that came due without a handler: there may be one now.
    void unpark_handled() { (void)UnparkEvents{store, loop}.run_handlers(); }
    /// Other instances leave events of the handled types to this one from now on. The events that
    /// they parked before become claimable. Without the database the loop does the first, and the
    /// next start the second.
    void take_over_handled() {
        const auto types = handlers.types();
        if (types.empty()) return;
        try {
            queue.announce(instance, types, announced_for);
            unpark_handled();
        } catch (const Unavailable& away) {
            log.write({.level = base::LogLevel::warn,
                       .event_name = {},
                       .message = std::string{"parked events wait for the next start: "} +
                                  away.what(),
                       .correlation_id = {},
                       .fields = {}});
        }
    }

    CallbackLog log;
    zones::CctzTimeZones zones;
    std::unique_ptr<Storage> storage;
    Store& store = storage->store();
    EventQueue& queue = storage->queue();
    Clock& clock = storage->clock();
    system::SystemIds ids;
    InstanceId instance{ids.fresh()};
    system::SystemRandom random;
    system::BootClock monotonic;
    NoDelivery nowhere;
    Handlers handlers;
    EngineObserver observer;
    system::HandlerDelivery in_process{handlers, monotonic, handler_threads};
    PlanSuccessors plan;
    DeliverEvent deliver;
    AdmitEvents admit{store, random};
    JudgeReceivers judge{store, CircuitPolicy{}};
    WorkerLoop loop;
    PullWatch watch;
    FeedWatch feed_watch;
    system::OpensslDigest digest;
    std::shared_ptr<Streams::Parts> streams;
    BothWakeups wakeups{loop, watch};
    PullEvents pull{instance,
                    {.store = store,
                     .pull_queue = storage->pull_queue(),
                     .queue = queue,
                     .plan = plan,
                     .deliver = deliver,
                     .monotonic = monotonic,
                     .random = random,
                     .log = log,
                     .observer = observer,
                     .wakeups = wakeups}};
    SettlePulled settle_pulled{{.store = store,
                                .queue = queue,
                                .random = random,
                                .log = log,
                                .observer = observer,
                                .wakeups = watch}};
    Operations operations{{.instance = instance},
                          {.store = store,
                           .ids = ids,
                           .wakeups = wakeups,
                           .monotonic = monotonic,
                           .log = log,
                           .make_task = operation_tasks(store, zones, ids, wakeups)}};
    AdvanceClock advance{clock, queue, operations, loop};
    NoSecrets secrets;
    NoDestinations destinations;
    CreateEndpoint create_endpoint{store, secrets, destinations, ids, {}};
    CreateUser create_user{store, zones, ids, wakeups};
    DeleteUser delete_user{store, ids};
    ScheduleEvent schedule{store, zones, ids, wakeups};
    CancelEvent cancel{store, zones, ids, wakeups};
    Queries queries{store};
    StoredLocks stored_locks{store};
    system::SystemLockTokens lock_tokens;
    LockWaits lock_waits;
    Locks locks{{.store = stored_locks,
                 .tokens = lock_tokens,
                 .waits = lock_waits,
                 .random = random,
                 .monotonic = monotonic}};
    Maintenance maintenance{{.locks = locks, .monotonic = monotonic, .log = log},
                            "engine " + to_string(instance),
                            maintenance_jobs(storage->retention())};
    std::thread worker;
    std::thread operations_worker;
    std::thread maintainer;
    std::thread watcher;
    std::thread feed_watcher;
};

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

Result<Engine> Engine::open(const Options& options) {
    return answered<Engine>([&] { return Engine{std::make_unique<Parts>(options)}; });
}

void Engine::on(const std::string& type, Handler handler) {
    parts_->handlers.on(type, [handler = std::move(handler)](const sundial::Event& event) {
        return as_domain(handler(shown(event)));
    });
}

Result<User> Engine::create_user(const NewUser& wanted) {
    return answered<User>([&] {
        return parts_->create_user.run({.external_id = unless_empty(wanted.external_id),
                                        .first_name = wanted.first_name,
                                        .last_name = wanted.last_name,
                                        .date_of_birth = wanted.date_of_birth,
                                        .timezone = wanted.timezone},
                                       correlation_id);
    });
}

Result<Done> Engine::delete_user(const std::string& id) {
    return answered<Done>([&] {
        return parts_->delete_user.run(id, UserHistory::erase, std::nullopt, correlation_id);
    });
}

Result<Done> Engine::create_queue(const std::string& name) {
    return answered<Done>([&]() -> sundial::Result<Endpoint> {
        sundial::NewEndpoint wanted;
        wanted.external_id = name;
        wanted.name = name;
        wanted.type = EndpointType::pull;
        auto made = parts_->create_endpoint.run(wanted, correlation_id);
        if (made) return made->endpoint;
        if (!std::holds_alternative<DuplicateExternalId>(made.error())) return made.error();
        return parts_->queries.endpoint("ext:" + name);
    });
}

Result<Lock> Engine::acquire_lock(const std::string& name, const LockOptions& options) {
    const LockWanted wanted{
        .name = name,
        .holder = options.holder.empty() ? "engine " + to_string(parts_->instance) : options.holder,
        .ttl = options.ttl};
    const LockGuard::Terms terms{.wait = options.wait, .max_hold = options.max_hold};
    return answered<Lock>([&]() -> sundial::Result<Lock> {
        if (auto error = refuse_own_lock(name)) return ValidationFailed{{std::move(*error)}};
        auto guard = LockGuard::acquire(parts_->locks, parts_->monotonic, wanted, terms);
        if (!guard) return guard.error();
        return Lock{std::make_unique<Lock::Parts>(std::move(*guard))};
    });
}

PullWorker Engine::worker(const std::string& queue, const std::string& name) {
    return PullWorker{std::make_shared<PullWorker::Parts>(PullWorker::Parts{
        parts_->pull, parts_->settle_pulled, parts_->watch, parts_->monotonic, queue, name})};
}

Result<Event> Engine::schedule(const NewEvent& wanted) {
    if (wanted.at && !in_range(*wanted.at)) {
        return error_of(invalid("/at", "out_of_range", "must be in the years 0001 to 9999"));
    }
    sundial::NewEvent event;
    event.event_type = wanted.type;
    event.user = unless_empty(wanted.user_id);
    if (wanted.at) event.target.utc = format_instant(*wanted.at);
    event.target.local = unless_empty(wanted.local_time);
    event.target.zone = unless_empty(wanted.timezone);
    event.payload = wanted.payload;
    event.idempotency_key = unless_empty(wanted.idempotency_key);
    if (!wanted.queue.empty()) event.endpoint = "ext:" + wanted.queue;
    return answered<Event>([&] { return parts_->schedule.run(event); });
}

Result<Event> Engine::find_event(const std::string& id) {
    return answered<Event>([&] { return parts_->queries.event(id); });
}

Result<Event> Engine::cancel(const std::string& id) {
    return answered<Event>([&] { return parts_->cancel.run(id, std::nullopt); });
}

Streams Engine::streams() { return Streams{parts_->streams}; }

void Engine::start() {
    if (parts_->clock.is_test() || parts_->worker.joinable()) return;
    parts_->take_over_handled();
    parts_->worker = std::thread([&loop = parts_->loop] { loop.run(); });
    parts_->operations_worker =
        std::thread([&operations = parts_->operations] { operations.run(); });
    parts_->maintainer = std::thread([&maintenance = parts_->maintenance] { maintenance.run(); });
}

void Engine::stop() { parts_->stop(); }

Result<std::uint64_t> Engine::advance(std::chrono::microseconds by) {
    return answered<std::uint64_t>([&]() -> sundial::Result<std::uint64_t> {
        const auto advanced = parts_->advance.by(by);
        if (!advanced) return advanced.error();
        return advanced->delivered;
    });
}

Result<Instant> Engine::now() {
    return answered<Instant>([&] { return parts_->clock.now(); });
}

}  // namespace sundial::embedding
