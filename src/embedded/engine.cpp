#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
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
#include "application/intake/complete_intake.hpp"
#include "application/locks/lock_guard.hpp"
#include "application/locks/locks_module.hpp"
#include "application/maintenance/maintenance.hpp"
#include "application/operations/operations.hpp"
#include "application/pull/pull_module.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/schedules_module.hpp"
#include "application/streams/streams_module.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "application/transactions/after_commit.hpp"
#include "application/users/users_module.hpp"
#include "base/text.hpp"
#include "domain/lock.hpp"
#include "domain/time/text.hpp"
#include "embedded/answers.hpp"
#include "embedded/call_checks.hpp"
#include "embedded/endpoints.hpp"
#include "embedded/parts.hpp"
#include "embedded/queue_pools.hpp"
#include "embedded/scheduling.hpp"
#include "embedded/storage.hpp"
#include "embedded/transactions.hpp"
#include "sundial/cache.hpp"
#include "sundial/embedding.hpp"

namespace sundial::embedding {
namespace {

constexpr std::size_t most_threads = 256;
/// More than twice the events that all pools of handlers may hold, so that claims never wait for
/// slots: the limits of the pools are what counts.
constexpr std::size_t slots = 64UL * most_threads;
/// Each webhook under way has a connection: half of the 1,024 files that a process may commonly
/// have open.
constexpr std::size_t slots_with_webhooks = 512;

/// Calls a function of the program for its information. The work that it is about goes on if the
/// function throws.
template <class Function, class... Values>
void tell(const Callbacks& callbacks, const Function& function, const Values&... values) {
    if (!function) return;
    const Callbacks::Call call{callbacks};
    try {
        function(values...);
    } catch (...) {
        return;
    }
}

/// Passes lines on to the program's callbacks.
class CallbackLog final : public base::Log {
public:
    CallbackLog(const Callbacks& callbacks, const Options& options)
        : callbacks_(callbacks), line_(options.log), record_(options.log_record) {}
    void write(base::LogLine line) override {
        if (!wants(line.level)) return;
        tell(callbacks_, line_,
             line.event_name.empty() ? line.message : line.event_name + ": " + line.message);
        tell(callbacks_, record_,
             LogRecord{.level = static_cast<LogRecord::Level>(line.level),
                       .event_name = std::move(line.event_name),
                       .message = std::move(line.message),
                       .fields = std::move(line.fields)});
    }
    [[nodiscard]] bool wants(base::LogLevel level) const override {
        return (line_ || record_) && level >= base::LogLevel::info;
    }

private:
    static_assert(static_cast<int>(LogRecord::Level::error) ==
                  static_cast<int>(base::LogLevel::error));
    const Callbacks& callbacks_;
    const std::function<void(const std::string&)> line_;
    const std::function<void(const LogRecord&)> record_;
};

/// Passes the ends of attempts on, and wakes those who follow the ends of events.
class CallbackObserver final : public EngineObserver {
public:
    CallbackObserver(const Callbacks& callbacks, const Options& options, OutcomeSignal& signal)
        : callbacks_(callbacks), listener_(options.on_attempt), signal_(signal) {}
    void transition(std::string_view /*event_type*/, EventStatus status,
                    std::size_t /*count*/) override {
        const bool final = status != EventStatus::pending && status != EventStatus::processing;
        if (final) signal_.finished();
    }
    void delivered(const AttemptEnded& ended) override {
        if (!listener_) return;
        tell(callbacks_, listener_,
             AttemptReport{.event_id = to_string(ended.event.id),
                           .event_type = ended.event.type,
                           .attempt = ended.event.attempt.value,
                           .accepted = ended.outcome.verdict == Verdict::accepted,
                           .refused = ended.outcome.verdict == Verdict::permanent,
                           .error = failure_reason(ended.outcome),
                           .duration = ended.outcome.duration,
                           .lateness = ended.lateness});
    }

private:
    const Callbacks& callbacks_;
    const std::function<void(const AttemptReport&)> listener_;
    OutcomeSignal& signal_;
};

sundial::Handled as_domain(const Handled& handled) {
    switch (handled.verdict()) {
        case Handled::Verdict::done:
            return {Verdict::accepted, {}};
        case Handled::Verdict::retry:
            return {Verdict::retryable, handled.reason()};
        case Handled::Verdict::snoozed:
            return {Verdict::retryable, {}, std::clamp(handled.until(), Instant{}, latest_instant)};
        case Handled::Verdict::refused:
            break;
    }
    return {Verdict::permanent, handled.reason()};
}

/// Finished events are kept as long as a server keeps them by default.
std::vector<MaintenanceJob> maintenance_jobs(Store& store, Retention* retention) {
    constexpr std::size_t at_once = 500;
    std::vector<MaintenanceJob> jobs{
        {.name = "idempotency keys", .every = std::chrono::minutes{10}, .batch = [&store] {
             std::size_t removed = 0;
             store.transact([&](sundial::Transaction& tx) {
                 removed = tx.idempotency().remove_expired(at_once);
                 return removed > 0;
             });
             return removed == at_once;
         }}};
    if (retention == nullptr) return jobs;
    jobs.push_back({.name = "retention",
                    .every = std::chrono::minutes{10},
                    .batch = [forget_old = ForgetOld{*retention, RetentionTerms{}}]() mutable {
                        return forget_old.batch();
                    }});
    return jobs;
}

}  // namespace

/// The adapters that a library needs, and the modules that its interface shows, each made from
/// those above it.
struct Engine::Parts {
    explicit Parts(const Options& options)
        : log(callbacks, options),
          zones(options.zoneinfo),
          storage(open_storage(options, log)),
          test_clock(options.test_clock),
          observer(callbacks, options, outcome_signal),
          stop_within(std::max(options.stop_within, std::chrono::microseconds{0})),
          secrets(open_secrets(options.webhooks)),
          kinds(endpoint_kinds(options.webhooks, store, ids, *secrets, monotonic, permit)),
          attempts(options.webhooks ? slots_with_webhooks : slots),
          in_process(handlers, monotonic,
                     std::clamp<std::size_t>(options.handler_threads, 1, most_threads), permit,
                     &log),
          maintains(options.maintenance),
          lock_store(open_lock_store(options, store)) {
        if (maintains) {
            clock.advance.run_first([this] { intake.run(); });
            // Events planned with an earlier tz database keep their local time.
            (void)FollowTzdata{store, zones, ids, delivery.loop}.run(Takeover::of_older);
        }
        // Events that came due without a handler: there may be one now.
        (void)UnparkEvents{store, delivery.loop}.run_handlers();
        try {
            watcher = std::thread([this] { wakeups.watch.run(); });
            feed_watcher = std::thread([this] { stream_store.watch.run(); });
        } catch (...) {  // no thread can be created now
            stop();
            throw;
        }
    }
    ~Parts() { stop(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// Calls `work`, unless this is a child of the engine's process. Keeps the parts until then,
    /// because a callback of the work may destroy the engine.
    template <class Public, class Work>
    static Result<Public> run(std::shared_ptr<Parts> parts, Work work) {
        return answered<Public>(parts->process, [&] { return work(*parts); });
    }

    /// Whether this thread is inside a function of the program that the engine waits for.
    [[nodiscard]] bool in_callback() { return callbacks.running_here() || store.open_here(); }

    /// From any thread.
    void request_stop() {
        operations.shut_down();
        wakeups.intake.stop();
        delivery.loop.stop();
        wakeups.watch.stop();
        stream_store.watch.stop();
        locks.waits.stop();
        maintenance.stop();
        in_process.request_stop();
        queue_pools.request_stop();
    }
    /// The same, and waits for the threads. Not from a callback.
    void stop() {
        request_stop();
        queue_pools.stop_handlers_after(stop_within);
        const std::lock_guard lock(joining);
        if (maintainer.joinable()) maintainer.join();
        if (watcher.joinable()) watcher.join();
        if (feed_watcher.joinable()) feed_watcher.join();
        if (operations_worker.joinable()) operations_worker.join();
        if (intake_worker.joinable()) intake_worker.join();
        in_process.stop(stop_within);  // the loop still runs and settles the results
        queue_pools.join();
        if (worker.joinable()) worker.join();
        auto& departing = streams->departing;
        for (auto left = departing.load(); left > 0; left = departing) departing.wait(left);
    }

    const OwnProcess process;
    const Callbacks callbacks;
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
    Handlers handlers;
    OutcomeSignal outcome_signal;
    CallbackObserver observer;
    const std::chrono::microseconds stop_within;
    SendPermit permit;
    std::unique_ptr<Secrets> secrets;
    EndpointKinds kinds;
    const std::size_t attempts;  // under way at once
    system::HandlerDelivery in_process;
    const bool maintains;  // the whole database
    const std::unique_ptr<LockStore> lock_store;
    system::OpensslDigest digest;
    system::SystemLockTokens lock_tokens;

    DeliveryModule delivery{{.store = store,
                             .queue = queue,
                             .zones = zones,
                             .ids = ids,
                             .random = random,
                             .monotonic = monotonic,
                             .log = log,
                             .observer = observer,
                             .kinds = kinds,
                             .in_process = in_process,
                             .handlers = handlers,
                             .permit = permit},
                            {.instance = instance,
                             .shards = queue.shards(),
                             .slots = attempts,
                             .clock_stands_still = test_clock},
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
    SchedulesModule schedules{ports, operations};
    CompleteIntake intake{{.store = store,
                           .zones = zones,
                           .ids = ids,
                           .wakeups = ports.wakeups,
                           .log = log,
                           .put_schedule = schedules.put,
                           .delete_schedule = schedules.remove}};
    EndpointsModule endpoints{ports, kinds, *secrets};
    StreamsModule stream_store{{.store = store,
                                .feed = storage->feed(),
                                .digest = digest,
                                .monotonic = monotonic,
                                .log = log},
                               std::chrono::seconds{1}};
    LocksModule locks{
        {.store = *lock_store, .tokens = lock_tokens, .random = random, .monotonic = monotonic}};
    Maintenance maintenance{{.locks = locks.locks, .monotonic = monotonic, .log = log},
                            "engine " + to_string(instance),
                            maintenance_jobs(store, storage->retention())};
    TransactionPorts transactions{.process = process,
                                  .storage = *storage,
                                  .queue = queue,
                                  .ids = ids,
                                  .random = random,
                                  .instance = instance,
                                  .events = events,
                                  .users = users,
                                  .settle = pull.settle,
                                  .append = stream_store.append,
                                  .watch = stream_store.watch,
                                  .digest = digest};
    std::shared_ptr<Streams::Parts> streams = std::make_shared<Streams::Parts>(
        process, callbacks, store, storage->feed(), storage->feed_meter(), ids, log, stream_store,
        transactions);
    QueuePools queue_pools{callbacks, monotonic, log};
    std::mutex joining;  // held by the thread that joins those below
    std::thread worker;
    std::thread operations_worker;
    std::thread intake_worker;
    std::thread maintainer;
    std::thread watcher;
    std::thread feed_watcher;
};

Engine::Engine(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&& other) noexcept {
    if (this == &other) return *this;
    close(std::exchange(parts_, std::move(other.parts_)));
    return *this;
}
Engine::~Engine() { close(std::move(parts_)); }

void Engine::close(std::shared_ptr<Parts> parts) noexcept {
    if (!parts) return;
    const bool forked = parts->process.forked();
    if (!forked && !parts->in_callback()) return parts->stop();
    if (!forked) parts->request_stop();
    // They stay in memory in a child, and if no thread can be started.
    auto* const left = new std::shared_ptr<Parts>(std::move(parts));
    if (forked) return;
    try {
        // Waits for the callback that this call is in.
        std::thread([left] {
            (*left)->stop();
            delete left;
        }).detach();
    } catch (const std::system_error&) {
        return;
    }
}

Result<Engine> Engine::open(const Options& options) {
    return answered<Engine>([&] { return Engine{std::make_shared<Parts>(options)}; });
}

namespace {

HandlerTerms terms_of(const HandlerOptions& options) {
    return {.threads = std::min(options.threads, most_threads), .time_limit = options.time_limit};
}

}  // namespace

void Engine::on(const std::string& type, Handler handler, const HandlerOptions& options) {
    if (parts_->process.forked()) return;
    const auto work = [&callbacks = parts_->callbacks,
                       handler = std::move(handler)](const sundial::Event& event) {
        const Callbacks::Call call{callbacks};
        return as_domain(handler(shown(event)));
    };
    parts_->handlers.on(type, work, terms_of(options));
}

void Engine::on(const std::string& type, StoppableHandler handler, const HandlerOptions& options) {
    if (parts_->process.forked()) return;
    const auto work = [&callbacks = parts_->callbacks, handler = std::move(handler)](
                          const sundial::Event& event, const std::stop_token& stop) {
        const Callbacks::Call call{callbacks};
        return as_domain(handler(shown(event), stop));
    };
    parts_->handlers.on(type, work, terms_of(options));
}

Result<Done> Engine::on_queue(const std::string& queue, Handler handler,
                              const QueueOptions& options) {
    return on_queue(queue,
                    StoppableHandler{[handler = std::move(handler)](
                                         const Event& event, const std::stop_token& /*stop*/) {
                        return handler(event);
                    }},
                    options);
}

Result<Done> Engine::on_queue(const std::string& queue, StoppableHandler handler,
                              const QueueOptions& options) {
    if (auto defect = refuse_work_lease(options.lease)) {
        return error_of(ValidationFailed{{*std::move(defect)}});
    }
    if (options.time_limit.count() <= 0) {
        return error_of(invalid("/timeLimit", "out_of_range", "must be positive"));
    }
    if (options.threads < 1 || options.threads > most_threads) {
        return error_of(invalid("/threads", "out_of_range", "must be 1 to 256"));
    }
    auto created = create_queue(queue);
    if (!created) return created;
    const std::string name = "engine " + to_string(parts_->instance);
    parts_->queue_pools.add(worker(queue, name), queue, std::move(handler), options);
    return created;
}

Result<User> Engine::create_user(const NewUser& requested) {
    return Parts::run<User>(parts_, [&](Parts& parts) {
        return parts.users.create.run(requested_user(requested), correlation_id);
    });
}

Result<Done> Engine::delete_user(const std::string& id) {
    return Parts::run<Done>(parts_, [&](Parts& parts) {
        return parts.users.remove.run(id, UserHistory::erase, std::nullopt, correlation_id);
    });
}

Result<Done> Engine::create_queue(const std::string& name) {
    return Parts::run<Done>(parts_, [&](Parts& parts) -> sundial::Result<sundial::Endpoint> {
        sundial::NewEndpoint requested{.type = pull_type};
        requested.external_id = name;
        requested.name = name;
        auto made = parts.endpoints.create.run(requested, correlation_id);
        if (made) return made->endpoint;
        if (!std::holds_alternative<DuplicateExternalId>(made.error())) return made.error();
        return parts.queries.endpoint("ext:" + name);
    });
}

Result<StoredEndpoint> Engine::put_endpoint(const NewEndpoint& requested) {
    return Parts::run<StoredEndpoint>(parts_, [&](Parts& parts) {
        return parts.endpoints.put.run(requested.name, requested_endpoint(requested), std::nullopt,
                                       correlation_id);
    });
}

Result<Endpoint> Engine::find_endpoint(const std::string& endpoint) {
    return Parts::run<Endpoint>(parts_,
                                [&](Parts& parts) { return parts.queries.endpoint(endpoint); });
}

Result<std::vector<Endpoint>> Engine::endpoints() {
    return Parts::run<std::vector<Endpoint>>(
        parts_, [](Parts& parts) { return list_endpoints(parts.queries); });
}

Result<Endpoint> Engine::disable_endpoint(const std::string& endpoint) {
    return Parts::run<Endpoint>(parts_, [&](Parts& parts) {
        EndpointEdit edit;
        edit.enabled = false;
        return parts.endpoints.edit.run(endpoint, edit, std::nullopt, correlation_id);
    });
}

Result<Endpoint> Engine::enable_endpoint(const std::string& endpoint) {
    return Parts::run<Endpoint>(parts_, [&](Parts& parts) {
        EndpointEdit edit;
        edit.enabled = true;
        return parts.endpoints.edit.run(endpoint, edit, std::nullopt, correlation_id);
    });
}

namespace {

std::optional<Version> required(const std::optional<std::uint64_t>& if_version) {
    return if_version ? std::optional{Version{*if_version}} : std::nullopt;
}

}  // namespace

Result<Endpoint> Engine::change_endpoint(const std::string& endpoint,
                                         const EndpointChange& change) {
    return Parts::run<Endpoint>(parts_, [&](Parts& parts) {
        return parts.endpoints.edit.run(endpoint, requested_edit(change),
                                        required(change.if_version), correlation_id);
    });
}

Result<StoredEndpoint> Engine::rotate_secret(const std::string& endpoint,
                                             const SecretRotation& rotation) {
    return Parts::run<StoredEndpoint>(parts_, [&](Parts& parts) {
        return parts.endpoints.rotate.run(
            endpoint,
            {.old_signs_for = rotation.old_signs_for, .secret = unless_empty(rotation.secret)},
            required(rotation.if_version), correlation_id);
    });
}
Result<StoredEndpoint> Engine::rotate_secret(const std::string& endpoint) {
    return rotate_secret(endpoint, {});
}

Result<EndpointTest> Engine::test_endpoint(const std::string& endpoint) {
    if (!parts_->process.forked() && parts_->store.open_here()) {
        return Error{"REENTRANT_CALL",
                     "test_endpoint() was called inside a transaction, which its request may wait "
                     "for; call it after the transaction"};
    }
    return Parts::run<EndpointTest>(
        parts_, [&](Parts& parts) { return parts.endpoints.test.run(endpoint); });
}

Result<Done> Engine::clear_inbox(const std::string& endpoint) {
    return Parts::run<Done>(parts_, [&](Parts& parts) -> sundial::Result<Done> {
        if (auto cleared = parts.endpoints.clear_inbox.run(endpoint); !cleared) {
            return cleared.error();
        }
        return Done{};
    });
}

Result<Done> Engine::delete_endpoint(const std::string& endpoint) {
    return Parts::run<Done>(parts_, [&](Parts& parts) {
        return parts.endpoints.remove.run(endpoint, EventsOfEndpoint::prevent, std::nullopt,
                                          correlation_id);
    });
}

Result<std::vector<ReceivedRequest>> Engine::inbox(const std::string& endpoint, std::size_t limit) {
    constexpr std::size_t most = 500;
    if (limit < 1 || limit > most) {
        return error_of(invalid("/limit", "out_of_range", "must be 1 to 500"));
    }
    return Parts::run<std::vector<ReceivedRequest>>(parts_, [&](Parts& parts) {
        return parts.endpoints.read_inbox.run(
            endpoint, {.limit = limit, .descending = true, .after = std::nullopt});
    });
}

Result<Lock> Engine::acquire_lock(const std::string& name, const LockOptions& options) {
    const LockTerms requested{
        .name = name,
        .holder = options.holder.empty() ? "engine " + to_string(parts_->instance) : options.holder,
        .ttl = options.ttl};
    const LockGuard::Terms terms{.wait = options.wait, .max_hold = options.max_hold};
    return Parts::run<Lock>(parts_, [&](Parts& parts) -> sundial::Result<Lock> {
        if (auto error = refuse_own_lock(name)) return ValidationFailed{{std::move(*error)}};
        auto guard = LockGuard::acquire(parts.locks.locks, parts.monotonic, requested, terms);
        if (!guard) return guard.error();
        return Lock{std::make_unique<Lock::Parts>(std::move(*guard))};
    });
}

Result<std::vector<Lock>> Engine::acquire_locks(const std::vector<std::string>& names,
                                                const LockOptions& options) {
    constexpr std::size_t most = 100;
    const std::map<std::string, std::size_t> sorted = [&] {
        std::map<std::string, std::size_t> places;
        for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
        return places;
    }();
    if (names.size() > most || sorted.size() != names.size()) {
        return error_of(invalid("/names", "not_allowed", "must be at most 100, each once"));
    }
    std::vector<std::optional<Lock>> held(names.size());
    for (const auto& [name, place] : sorted) {
        auto lock = acquire_lock(name, options);
        if (!lock) return std::move(lock).error();
        held[place].emplace(*std::move(lock));
    }
    std::vector<Lock> all;
    all.reserve(held.size());
    for (auto& lock : held) all.push_back(*std::move(lock));
    return all;
}

namespace {

/// Leases of an engine's locks, for loads that one process does for all.
class EngineLeases final : public LoadLeases {
public:
    EngineLeases(const OwnProcess& process, const Digest& digest, Locks& locks, std::string holder)
        : process_(process), digest_(digest), leases_(locks, std::move(holder)) {}
    std::optional<std::string> try_acquire(const std::string& name,
                                           std::chrono::microseconds ttl) override {
        if (process_.forked()) return std::nullopt;
        return leases_.try_acquire(lock_of(name),
                                   std::clamp(ttl, shortest_lock_ttl, longest_lock_ttl));
    }
    void release(const std::string& name, const std::string& token) override {
        if (!process_.forked()) leases_.release(lock_of(name), token);
    }

private:
    /// Keys of values can be longer than names of locks, and have other characters.
    [[nodiscard]] std::string lock_of(const std::string& name) const {
        return "load." + base::to_hex(digest_.sha256(name));
    }
    const OwnProcess& process_;
    const Digest& digest_;
    LockLeases leases_;
};

}  // namespace

std::unique_ptr<LoadLeases> Engine::load_leases() {
    return std::make_unique<EngineLeases>(parts_->process, parts_->digest, parts_->locks.locks,
                                          "engine " + to_string(parts_->instance));
}

Result<std::optional<HeldLock>> Engine::find_lock(const std::string& name) {
    return Parts::run<std::optional<HeldLock>>(
        parts_, [&](Parts& parts) -> std::optional<HeldLock> {
            const auto lock = parts.locks.locks.find(name);
            if (!lock) return std::nullopt;
            return HeldLock{lock->name, lock->holder, lock->expires_at};
        });
}

PullWorker Engine::worker(const std::string& queue, const std::string& name) {
    return PullWorker{std::make_shared<PullWorker::Parts>(
        PullWorker::Parts{parts_->process, parts_->pull.pull, parts_->pull.settle,
                          parts_->pull.watch, parts_->monotonic, queue, name})};
}

Result<Event> Engine::schedule(const NewEvent& requested) {
    const auto event = requested_event(requested);
    if (!event) return error_of(event.error());
    return Parts::run<Event>(parts_,
                             [&](Parts& parts) { return parts.events.schedule.run(*event); });
}

Result<Event> Engine::find_event(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) { return parts.queries.event(id); });
}

Result<Event> Engine::cancel(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        auto cancelled = parts.events.cancel.run(id, std::nullopt, correlation_id);
        after_commit([&signal = parts.outcome_signal] { signal.finished(); });
        return cancelled;
    });
}

Result<std::vector<Event>> Engine::schedule_all(const std::vector<NewEvent>& requested) {
    constexpr std::size_t most = 1'000;
    std::vector<sundial::NewEvent> events;
    if (requested.size() > most) {
        return error_of(invalid("/events", "out_of_range", "has more than 1000 events"));
    }
    events.reserve(requested.size());
    for (const NewEvent& one : requested) {
        auto event = requested_event(one);
        if (!event) return error_of(event.error());
        events.push_back(*std::move(event));
    }
    return Parts::run<std::vector<Event>>(
        parts_, [&](Parts& parts) -> sundial::Result<std::vector<sundial::Event>> {
            std::vector<sundial::Event> stored;
            if (events.empty()) return stored;
            for (auto& one : parts.events.schedule.run_all(events)) {
                if (!one) return one.error();
                stored.push_back(*std::move(one));
            }
            return stored;
        });
}

Result<EventPage> Engine::events(const EventFilter& filter, const PageOptions& page) {
    return Parts::run<EventPage>(
        parts_, [&](Parts& parts) { return list_events(parts.queries, filter, page); });
}
Result<EventPage> Engine::events(const EventFilter& filter) { return events(filter, {}); }

Result<Event> Engine::change(const std::string& id, const EventChange& change) {
    if (change.at && !in_range(*change.at)) {
        return error_of(invalid("/at", "out_of_range", "must be in the years 0001 to 9999"));
    }
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        return parts.events.edit.run(id, requested_change(change), std::nullopt, correlation_id);
    });
}

Result<Event> Engine::retry(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) -> sundial::Result<sundial::Event> {
        auto retried = parts.events.retry.run(id, RetryKey::same, correlation_id);
        if (!retried) return retried.error();
        return std::move(retried->event);
    });
}

Result<Event> Engine::dismiss(const std::string& id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        EventEdit edit;
        edit.dismissed = true;
        return parts.events.edit.run(id, edit, std::nullopt, correlation_id);
    });
}

Result<Schedule> Engine::put_schedule(const NewSchedule& requested) {
    return Parts::run<Schedule>(parts_, [&](Parts& parts) -> sundial::Result<ScheduleView> {
        const auto put = parts.schedules.put.run(requested.name, requested_schedule(requested),
                                                 std::nullopt, correlation_id);
        if (!put) return put.error();
        return parts.queries.schedule("ext:" + requested.name);
    });
}

Result<Schedule> Engine::find_schedule(const std::string& name) {
    return Parts::run<Schedule>(
        parts_, [&](Parts& parts) { return parts.queries.schedule("ext:" + name); });
}

Result<Done> Engine::delete_schedule(const std::string& name) {
    return Parts::run<Done>(parts_, [&](Parts& parts) {
        return parts.schedules.remove.run("ext:" + name, std::nullopt, correlation_id);
    });
}

Result<Event> Engine::trigger_schedule(const std::string& name, const std::string& user_id) {
    return Parts::run<Event>(parts_, [&](Parts& parts) {
        return parts.schedules.trigger.run(
            "ext:" + name, {.user = unless_empty(user_id), .payload = {}}, correlation_id);
    });
}

Result<Preview> Engine::preview(const NewSchedule& requested, std::size_t count) {
    if (count < 1 || count > 100) {
        return error_of(invalid("/count", "out_of_range", "must be 1 to 100"));
    }
    return Parts::run<Preview>(parts_, [&](Parts& parts) {
        return parts.schedules.preview.run({.schedule = {},
                                            .fields = requested_schedule(requested),
                                            .scope = {},
                                            .from = std::nullopt,
                                            .count = count});
    });
}

Result<Done> Engine::run_transaction(const std::function<Result<Done>(Transaction&)>& work) {
    const auto parts = parts_;  // the work may destroy the engine
    return embedding::transact(parts->transactions, work);
}

CallerTransaction Engine::in(pg_conn* connection) {
    return CallerTransaction{
        std::make_unique<Transaction::Parts>(parts_->transactions, connection)};
}

Streams Engine::streams() { return Streams{parts_->streams}; }

Outcomes Engine::outcomes() {
    return Outcomes{std::make_shared<Outcomes::Parts>(
        Outcomes::Parts{parts_->streams, parts_->outcome_signal})};
}

void Engine::start() {
    const auto parts = parts_;  // a handler may destroy the engine at once
    if (parts->process.forked() || parts->test_clock || parts->delivery.loop.stopping()) return;
    const std::lock_guard lock(parts->joining);
    if (parts->worker.joinable()) return;
    parts->worker = std::thread([&loop = parts->delivery.loop] { loop.run(); });
    parts->operations_worker = std::thread([&operations = parts->operations] { operations.run(); });
    parts->queue_pools.start();
    if (!parts->maintains) return;
    parts->intake_worker = std::thread([parts = parts.get()] {
        parts->intake.watch(parts->wakeups.intake, std::chrono::seconds{1});
    });
    parts->maintainer = std::thread([&maintenance = parts->maintenance] { maintenance.run(); });
}

void Engine::stop() {
    const auto parts = parts_;  // a handler may destroy the engine meanwhile
    if (parts->process.forked()) return;
    if (parts->in_callback()) return parts->request_stop();
    parts->stop();
}

Result<std::uint64_t> Engine::advance(std::chrono::microseconds by) {
    if (parts_->test_clock && !parts_->process.forked() && parts_->in_callback()) {
        return Error{"REENTRANT_CALL",
                     "advance() was called inside a handler, a log callback or a transaction of "
                     "its engine, which it would wait for; call it from elsewhere"};
    }
    return Parts::run<std::uint64_t>(parts_, [&](Parts& parts) -> sundial::Result<std::uint64_t> {
        if (parts.delivery.loop.stopping()) return Stopped{};
        const auto advanced = parts.clock.advance.by(by);
        if (!advanced) return advanced.error();
        if (parts.delivery.loop.stopping()) return Stopped{};
        return advanced->delivered;
    });
}

Result<Instant> Engine::now() {
    return Parts::run<Instant>(parts_, [&](Parts& parts) { return parts.clock.clock.now(); });
}

}  // namespace sundial::embedding
