#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "adapters/system/handler_delivery.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/secrets.hpp"
#include "adapters/zones/cctz_time_zones.hpp"
#include "application/delivery/clock_module.hpp"
#include "application/delivery/delivery_module.hpp"
#include "application/endpoints/endpoints_module.hpp"
#include "application/events/events_module.hpp"
#include "application/locks/lock_guard.hpp"
#include "application/locks/locks_module.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/maintenance/maintenance.hpp"
#include "application/operations/operation_task.hpp"
#include "application/pull/pull_kind.hpp"
#include "application/pull/pull_module.hpp"
#include "application/requests/queries.hpp"
#include "application/streams/streams_module.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "application/users/users_module.hpp"
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

/// Queues are the only type of endpoint here: the program itself handles all other events.
EndpointKinds queues_only() {
    EndpointKinds kinds;
    kinds.add(std::make_unique<PullKind>());
    return kinds;
}

/// Queues have no secrets.
class NoSecrets final : public Secrets {
public:
    sundial::Result<NewSecret, ValidationFailed> seal(
        const std::optional<std::string>& /*given*/) override {
        return NewSecret{};
    }
    sundial::Result<NewKeyPair, ValidationFailed> new_key_pair() override { return NewKeyPair{}; }
    std::optional<std::string> seal_text(std::string_view /*text*/) override { return {}; }
    std::string open(const std::string& /*sealed*/) override { return {}; }
    std::optional<std::string> resealed(const std::string& /*sealed*/) override { return {}; }
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

/// The adapters that a library needs, and the modules that its interface shows, each made from
/// those above it.
struct Engine::Parts {
    explicit Parts(const Options& options)
        : log(options.log),
          zones(options.zoneinfo),
          storage(open_storage(options, log)),
          test_clock(options.test_clock) {
        // Events planned with an earlier tz database keep their local time.
        (void)FollowTzdata{store, zones, ids, delivery.loop}.run(Takeover::of_older);
        // Events that came due without a handler: there may be one now.
        (void)UnparkEvents{store, delivery.loop}.run_handlers();
        watcher = std::thread([this] { wakeups.watch.run(); });
        feed_watcher = std::thread([this] { stream_store.watch.run(); });
    }
    ~Parts() { stop(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    void stop() {
        operations.shut_down();
        delivery.loop.stop();
        wakeups.watch.stop();
        stream_store.watch.stop();
        locks.waits.stop();
        maintenance.stop();
        if (maintainer.joinable()) maintainer.join();
        if (watcher.joinable()) watcher.join();
        if (feed_watcher.joinable()) feed_watcher.join();
        if (operations_worker.joinable()) operations_worker.join();
        in_process.stop();  // the loop still runs and settles the results
        if (worker.joinable()) worker.join();
    }

    CallbackLog log;
    zones::CctzTimeZones zones;
    std::unique_ptr<Storage> storage;
    const bool test_clock;
    Store& store = storage->store();
    EventQueue& queue = storage->queue();
    system::SystemIds ids;
    InstanceId instance{ids.fresh()};
    system::SystemRandom random;
    system::BootClock monotonic;
    EndpointKinds kinds = queues_only();
    Handlers handlers;
    EngineObserver observer;
    system::HandlerDelivery in_process{handlers, monotonic, handler_threads};
    system::OpensslDigest digest;
    NoSecrets secrets;
    StoredLocks stored_locks{store};
    system::SystemLockTokens lock_tokens;

    DeliveryModule delivery{
        {.store = store,
         .queue = queue,
         .zones = zones,
         .ids = ids,
         .random = random,
         .monotonic = monotonic,
         .log = log,
         .observer = observer,
         .kinds = kinds,
         .in_process = in_process,
         .handlers = handlers},
        {.instance = instance, .shards = queue.shards(), .clock_stands_still = test_clock},
        CircuitPolicy{}};
    WakeupsModule wakeups{{.loop = delivery.loop,
                           .pull_queue = storage->pull_queue(),
                           .monotonic = monotonic,
                           .log = log},
                          {.tick = std::chrono::seconds{1}, .clock_stands_still = test_clock}};
    const ModulePorts ports{.instance = instance,
                            .store = store,
                            .zones = zones,
                            .ids = ids,
                            .random = random,
                            .monotonic = monotonic,
                            .wakeups = wakeups.everywhere,
                            .log = log};
    Queries queries{store};
    PullModule pull{ports,
                    {.pull_queue = storage->pull_queue(),
                     .queue = queue,
                     .delivery = delivery,
                     .wakeups = wakeups,
                     .observer = observer}};
    Operations operations{{.instance = instance},
                          {.store = store,
                           .ids = ids,
                           .wakeups = ports.wakeups,
                           .monotonic = monotonic,
                           .log = log,
                           .make_task = operation_tasks(store, zones, ids, ports.wakeups)}};
    ClockModule clock{storage->clock(), queue, operations, delivery.loop};
    UsersModule users{ports};
    EventsModule events{ports, operations};
    EndpointsModule endpoints{ports, kinds, secrets};
    StreamsModule stream_store{{.store = store,
                                .feed = storage->feed(),
                                .digest = digest,
                                .monotonic = monotonic,
                                .log = log},
                               std::chrono::seconds{1}};
    LocksModule locks{
        {.store = stored_locks, .tokens = lock_tokens, .random = random, .monotonic = monotonic}};
    Maintenance maintenance{{.locks = locks.locks, .monotonic = monotonic, .log = log},
                            "engine " + to_string(instance),
                            maintenance_jobs(storage->retention())};
    std::shared_ptr<Streams::Parts> streams =
        std::make_shared<Streams::Parts>(store, storage->feed(), ids, log, stream_store);
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
        return parts_->users.create.run({.external_id = unless_empty(wanted.external_id),
                                         .first_name = wanted.first_name,
                                         .last_name = wanted.last_name,
                                         .date_of_birth = wanted.date_of_birth,
                                         .timezone = wanted.timezone},
                                        correlation_id);
    });
}

Result<Done> Engine::delete_user(const std::string& id) {
    return answered<Done>([&] {
        return parts_->users.remove.run(id, UserHistory::erase, std::nullopt, correlation_id);
    });
}

Result<Done> Engine::create_queue(const std::string& name) {
    return answered<Done>([&]() -> sundial::Result<Endpoint> {
        sundial::NewEndpoint wanted{.type = pull_type};
        wanted.external_id = name;
        wanted.name = name;
        auto made = parts_->endpoints.create.run(wanted, correlation_id);
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
        auto guard = LockGuard::acquire(parts_->locks.locks, parts_->monotonic, wanted, terms);
        if (!guard) return guard.error();
        return Lock{std::make_unique<Lock::Parts>(std::move(*guard))};
    });
}

PullWorker Engine::worker(const std::string& queue, const std::string& name) {
    return PullWorker{std::make_shared<PullWorker::Parts>(
        PullWorker::Parts{parts_->pull.pull, parts_->pull.settle, parts_->pull.watch,
                          parts_->monotonic, queue, name})};
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
    return answered<Event>([&] { return parts_->events.schedule.run(event); });
}

Result<Event> Engine::find_event(const std::string& id) {
    return answered<Event>([&] { return parts_->queries.event(id); });
}

Result<Event> Engine::cancel(const std::string& id) {
    return answered<Event>([&] { return parts_->events.cancel.run(id, std::nullopt); });
}

Streams Engine::streams() { return Streams{parts_->streams}; }

void Engine::start() {
    if (parts_->test_clock || parts_->worker.joinable()) return;
    parts_->worker = std::thread([&loop = parts_->delivery.loop] { loop.run(); });
    parts_->operations_worker =
        std::thread([&operations = parts_->operations] { operations.run(); });
    parts_->maintainer = std::thread([&maintenance = parts_->maintenance] { maintenance.run(); });
}

void Engine::stop() { parts_->stop(); }

Result<std::uint64_t> Engine::advance(std::chrono::microseconds by) {
    return answered<std::uint64_t>([&]() -> sundial::Result<std::uint64_t> {
        const auto advanced = parts_->clock.advance.by(by);
        if (!advanced) return advanced.error();
        return advanced->delivered;
    });
}

Result<Instant> Engine::now() {
    return answered<Instant>([&] { return parts_->clock.clock.now(); });
}

}  // namespace sundial::embedding
