#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sundial/result.hpp"
#include "sundial/values.hpp"

#pragma GCC visibility push(default)

struct pg_conn;  // libpq's PGconn

namespace sundial {
class LoadLeases;  // sundial/cache.hpp
}

/// The types of `sundial/engine.hpp`, which brings them into namespace `sundial`: include that
/// header. They have their own namespace because the library's internals use some of the same
/// names.
namespace sundial::embedding {

/// The outcome of one event, as its handler returns it.
class Handled {
public:
    /// The consequence for the event.
    enum class Verdict : std::uint8_t { done, retry, refused, snoozed };
    /// Done: the event is COMPLETED and not handled again.
    static Handled done() { return {Verdict::done, {}}; }
    /// Not done; try again after 1 s, 2 s, 4 s, 30 s and so on up to a day, eleven attempts in all.
    /// An exception has the same effect.
    static Handled retry(std::string why) { return {Verdict::retry, std::move(why)}; }
    /// Not done, and another attempt would not help: the event is FAILED.
    static Handled refuse(std::string why) { return {Verdict::refused, std::move(why)}; }

    /// Not now: handle it again at `until`. Uses no attempt, however often it is returned. Measured
    /// by the storage's clock; an instant in the past is due at once.
    static Handled snooze(Instant until) { return {Verdict::snoozed, {}, until}; }

    /// The consequence for the event.
    [[nodiscard]] Verdict verdict() const { return verdict_; }
    /// The reason; empty for `done`.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// The instant of `snooze`.
    [[nodiscard]] Instant until() const { return until_; }

private:
    Handled(Verdict verdict, std::string reason, Instant until = {})
        : verdict_(verdict), reason_(std::move(reason)), until_(until) {}
    Verdict verdict_;
    std::string reason_;
    Instant until_;
};
/// Runs on the engine's threads, several calls at once. If the process dies after a handler has
/// done its work but before the outcome is stored, the handler runs again after the next start:
/// recognise the event by its `idempotency_key`, and make the second call harmless. Must return
/// within its time limit, unless it also takes a stop token. May call its engine, and may stop or
/// destroy it: see `Engine`.
using Handler = std::function<Handled(const Event&)>;
/// The same with a token that requests a stop when the time limit has passed, when the lease of the
/// event may be lost, so that another engine may handle it, or when the engine stops and does not
/// wait longer. The handler then returns soon; whatever it returns is its result, if the lease
/// still holds.
using StoppableHandler = std::function<Handled(const Event&, std::stop_token)>;

/// Threads and time limit of the handler of one type.
struct HandlerOptions {
    /// Threads for this type alone, at most 256, so that its events and those of other types do
    /// not wait for each other. 0: the threads that all such types share
    /// (`Options::handler_threads`).
    std::size_t threads = 0;
    /// Counted from the beginning of the call; positive. A StoppableHandler is then asked to stop.
    /// The lease of the event is extended as long as the handler runs.
    std::chrono::microseconds time_limit{std::chrono::seconds{10}};
};

/// Threads, time limit and lease of the handler of one queue.
struct QueueOptions {
    std::size_t threads = 1;  // 1 to 256, for this queue alone; each handles one event at a time
    /// Counted from the beginning of the call; positive. A StoppableHandler is then asked to stop.
    std::chrono::microseconds time_limit{std::chrono::seconds{10}};
    /// 1 s to 12 h, extended as long as the handler runs. If the process dies, another worker gets
    /// the event when the lease expires.
    std::chrono::microseconds lease{std::chrono::seconds{30}};
};

/// An event type of your own that a handler gets instead of the payload's text:
///
///     struct Reminder {
///         static constexpr const char* type = "REMINDER";
///         static std::optional<Reminder> parse(const std::string& payload);
///     };
///     engine->on<Reminder>([](const Reminder& reminder, const sundial::Event&) { … });
template <class T>
concept TypedEvent = requires(const std::string& payload) {
    { T::type } -> std::convertible_to<std::string>;
    { T::parse(payload) } -> std::same_as<std::optional<T>>;
};

/// One log line with fields, for programs. `event_name` is one of docs/reference/logs.md, or empty
/// for a line that only people read. It never contains names, birth dates, payloads or secrets.
struct LogRecord {
    /// Severity of a line.
    enum class Level : std::uint8_t { debug, info, warn, error };
    /// The value of a field.
    using Value = std::variant<std::string, std::int64_t, double, bool>;
    /// Severity of this line.
    Level level = Level::info;
    /// Stable, for programs: "event.completed"; empty: the line is for people.
    std::string event_name;
    /// The text for people.
    std::string message;
    std::vector<std::pair<std::string, Value>> fields;  // "durationMs", "count", …
};

/// The end of one attempt, for metrics and displays. The event may have another attempt.
struct AttemptReport {
    /// The id of the event.
    std::string event_id;
    /// The type of the event.
    std::string event_type;
    /// The number of the attempt, from 1.
    std::uint32_t attempt = 0;
    /// The handler or the receiver accepted the event.
    bool accepted = false;
    bool refused = false;  // no further attempt
    std::string error;     // why it was not accepted
    /// The duration of the attempt.
    std::chrono::microseconds duration{0};
    std::chrono::microseconds lateness{0};  // of the event's first attempt
};

/// The addresses that an engine may send webhooks to, and the keys that encrypt their secrets.
struct WebhookOptions {
    /// 32 bytes in base64 that encrypt signing secrets and header values in the database, followed
    /// by the keys that they replace, with commas between them. All engines and servers on one
    /// database need the same keys.
    std::string encryption_keys{};
    /// A file with the keys instead. If it is absent, it is created with a new key and mode 0600.
    std::string key_file{};
    /// Allows addresses of private networks and of this machine, also over http; for development.
    /// Otherwise webhooks go to public addresses only, so that a URL from outside cannot reach your
    /// own services.
    bool allow_private = false;
    /// Allows http to public addresses, although others on the network can read and change it.
    bool allow_http = false;
    std::vector<std::uint16_t> ports{443, 8443};  // that URLs may have
    std::string ca_file{};                        // in PEM; empty: the system's certificates
};

/// How an engine is opened.
struct Options {
    /// "memory:", which ends with the process; "sqlite:FILE", for this process only; or
    /// "postgresql://user@host/database", which other engines and `sundial serve` may use, too:
    /// each claims only the events that it can deliver.
    std::string storage = "memory:";
    /// For tests: the clock moves only with `advance`, and no handler runs on its own.
    bool test_clock = false;
    /// 1 to 256 threads for handlers without threads of their own.
    std::size_t handler_threads = 4;
    /// How long `stop` and the destructor wait for running handlers before they ask them to stop.
    /// 0: at once. They wait until the handlers have returned, in any case.
    std::chrono::microseconds stop_within{std::chrono::seconds{20}};
    /// Whether this engine also maintains the whole database, beside handling its own events:
    /// deletes rows past their retention, moves planned events when it is opened with a newer tz
    /// database, and completes requests of other programs by SQL. False if another engine or
    /// `sundial serve` on the same database does: without any, old rows stay, planned local times
    /// keep their old offsets, and schedules requested by SQL wait.
    bool maintenance = true;
    /// The lock server, "redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]"; empty: locks are rows
    /// in the storage. It is one server, or one with replicas behind one address, without TLS. The
    /// storage records every token before the grant is returned, so `Transaction::guard` refuses
    /// the smaller of two tokens even if the server has lost data and granted a lock twice. All
    /// engines and servers that share locks need the same lock server, and the same storage,
    /// because tokens of two storages are not compared. CANNOT_START if the program is linked
    /// without the component `redis`. While the server does not answer, calls for locks fail with
    /// STORAGE_UNAVAILABLE after 2 s.
    std::string lock_server{};
    /// The directory of the tz database.
    std::string zoneinfo = "/usr/share/zoneinfo";
    /// Receives the log lines meant for operators, from any thread; may be empty. Must return
    /// quickly, and must not call the engine except for `stop`. If it throws, the engine drops the
    /// line and continues.
    std::function<void(const std::string& line)> log{};
    /// The same with fields, from level info on.
    std::function<void(const LogRecord& record)> log_record{};
    /// Is called after each attempt of a handler or a worker, under the conditions of `log`.
    std::function<void(const AttemptReport& report)> on_attempt{};
    /// Set: this engine delivers the events of webhooks and inboxes itself, at most 512 attempts of
    /// all kinds at once, and creates such endpoints. Empty: it knows queues only, and leaves other
    /// endpoints to other engines and to `sundial serve` on the same database.
    std::optional<WebhookOptions> webhooks{};
};

/// The options of a claim.
struct WorkOrder {
    std::size_t limit = 1;  // 1 to 100 events at most
    std::chrono::microseconds lease{
        std::chrono::seconds{30}};      // 1 s to 12 h: the lease of the claimed events
    std::chrono::microseconds wait{0};  // how long to wait while nothing is due
};

/// Claims the events of one queue when it has capacity, on a thread of yours, instead of being
/// called as a handler is:
///
///     auto worker = engine->worker("printers", "printer-1");
///     while (const auto work = worker.claim({.wait = 20s})) {
///         for (const auto& event : *work) {
///             const auto reported = print(event.payload) ? worker.complete(event)
///                                                        : worker.fail(event, "no paper");
///             if (!reported) report(reported.error().detail);
///         }
///     }
///
/// The loop ends with an error: STOPPED after the engine was stopped. After STORAGE_UNAVAILABLE it
/// can be started again.
///
/// A claim is a lease. If the worker reports no outcome before the lease expires, the next worker
/// gets the event, and a later report changes nothing (LEASE_LOST). So every event is completed
/// once, but may be worked on again after a worker died or was too slow: recognise it by its
/// `idempotency_key`. Two claims never hold the same event at once, in any number of workers and
/// processes. Copies are the same worker. Thread-safe. The engine must outlive its workers.
class PullWorker {
public:
    /// Returns due events, most urgent first; none if nothing came due in time. Errors:
    /// VALIDATION_FAILED; ENDPOINT_NOT_FOUND if there is no such queue; STOPPED, at once, after the
    /// engine was stopped. From then on nothing can be claimed, but outcomes of earlier claims are
    /// still accepted.
    Result<std::vector<Event>> claim(const WorkOrder& requested = {});

    /// The functions below take an event as `claim` returned it and return its new state. Repeating
    /// a call returns the same result. Of `why`, as of a handler's reason, the first 1,000
    /// characters are kept, with control characters replaced by blanks. Errors: LEASE_LOST,
    /// INVALID_STATE_TRANSITION, EVENT_NOT_FOUND.
    Result<Event> complete(const Event& claimed);
    /// The event waits for its next attempt: 1 s, 2 s, 4 s, 30 s and so on up to a day, eleven
    /// attempts in all.
    Result<Event> fail(const Event& claimed, const std::string& why);
    /// The event is FAILED: another attempt would not help.
    Result<Event> refuse(const Event& claimed, const std::string& why);
    /// Returns the event unfinished, without using an attempt. Another worker can claim it at once.
    Result<Event> release(const Event& claimed);
    /// The same, but no worker can claim it before `until`, by the storage's clock.
    Result<Event> snooze(const Event& claimed, Instant until);
    /// The lease now ends `lease` from now.
    Result<Event> extend(const Event& claimed, std::chrono::microseconds lease);

private:
    friend class Engine;
    struct Parts;
    explicit PullWorker(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<Parts> parts_;
};

class CallerTransaction;  // sundial/transacting.hpp
struct Endpoint;          // sundial/endpoints.hpp, as the next seven
struct EndpointChange;
struct EndpointTest;
struct NewEndpoint;
struct ReceivedRequest;
struct ReceivedSignature;
struct SecretRotation;
struct StoredEndpoint;
struct NewSchedule;  // sundial/scheduling.hpp, as the next two
struct Preview;
struct Schedule;
class Outcomes;  // sundial/outcomes.hpp
class Streams;
class Transaction;  // sundial/transacting.hpp

struct LockOptions {
    std::chrono::microseconds ttl{
        std::chrono::seconds{30}};      // 100 ms to 24 h: the lease, unless renewed
    std::chrono::microseconds wait{0};  // how long to wait while another holder has it
    /// Positive. Maximum time the lock is held, renewals included: protects others from work that
    /// hangs.
    std::chrono::microseconds max_hold{std::chrono::hours{24}};
    std::string holder{};  // the holder's name, for people; empty: this engine
};

/// A named lock with one holder at a time among all processes on the same database, or with the
/// same `Options::lock_server`. It is held as long as this object exists, and renewed on its own
/// thread. The protected work checks `lost` and stops when requested:
///
///     if (auto lock = engine->acquire_lock("nightly-report", {.wait = 5min})) {
///         write_report(lock->lost(), lock->fencing_token());
///     }
///
/// A process can be frozen between its check of the lock and its write, and another holder can get
/// the lock meanwhile. The storage can prevent such a late write: let it remember the greatest
/// fencing token that it has seen, and refuse smaller ones.
///
/// Movable, not copyable. The engine must outlive its locks.
class Lock {
public:
    /// The source holds no lock afterwards.
    Lock(Lock&&) noexcept;
    /// Releases the lock that this object held.
    Lock& operator=(Lock&&) noexcept;
    /// Releases the lock. If the storage does not respond, the lease expires by itself.
    ~Lock();

    /// Greater than that of any earlier holder of this name.
    [[nodiscard]] std::uint64_t fencing_token() const;
    /// Requests a stop a tenth of the lease before another holder can get the lock: when it could
    /// not be renewed, or was held for `max_hold`. Measured by a clock that cannot be set.
    [[nodiscard]] std::stop_token lost() const;

private:
    friend class Engine;
    friend class Transaction;
    struct Parts;
    explicit Lock(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

/// Sundial inside your program: stores users and events, and calls your handlers at the right local
/// time, across restarts and changes of the clocks.
///
///     auto engine = sundial::Engine::open({.storage = "sqlite:birthdays.db"});
///     if (!engine) return report(engine.error().detail);
///     engine->on("BIRTHDAY", [](const sundial::Event& event) {
///         send(event.payload);
///         return sundial::Handled::done();
///     });
///     engine->start();
///     const auto user = engine->create_user({"Ada", "Li", "1992-02-29", "Europe/Paris"});
///     if (!user) return report(user.error().detail);
///
/// Every user gets a BIRTHDAY event at 09:00 local time, every year; a birthday on 29 February
/// falls on the 28th in other years. Events that came due while no engine ran are handled after the
/// start.
///
/// A handler can call its engine. Two calls would wait there for the handler itself: `advance`
/// fails with REENTRANT_CALL, and `stop` only requests the stop. A handler can also destroy the
/// engine. The destructor then does not wait: the engine stops and is freed on another thread after
/// the handler has returned and its outcome is stored. If the process exits before that, the event
/// is handled again after the next start. The same holds inside `log` and inside
/// `Streams::transact`. A thread that a handler waits for counts as another thread: if it stops the
/// engine, both wait for each other.
///
/// After `fork` the engine belongs to the parent, where it continues. In the child, every call to
/// it and to its workers, streams and subscriptions fails with WRONG_PROCESS, `on`, `start` and
/// `stop` do nothing, and its locks count as lost. Their destructors leave everything to the
/// parent: memory stays allocated, and files stay open until the child ends or calls `exec`. So a
/// SQLite file stays in use until both processes have closed it. The child can open another engine.
/// A child that is forked inside a handler or a transaction must not return from it: let it end by
/// `exec` or `_exit`.
///
/// Movable, not copyable. Thread-safe except for `on`, `start` and moving. Every call can return
/// STORAGE_UNAVAILABLE.
class Engine {
public:
    /// Opens the storage and brings its tables up to date. Errors: CANNOT_START with what to do
    /// about it; STORAGE_UNAVAILABLE if another attempt later may succeed.
    static Result<Engine> open(const Options& options);
    /// The source may only be destroyed or assigned to.
    Engine(Engine&&) noexcept;
    /// Stops the engine that this object had.
    Engine& operator=(Engine&&) noexcept;
    /// Calls `stop`. In a handler it does not wait: see above.
    ~Engine();

    /// Events of `type` go to `handler`, which replaces any earlier one. Call before `start` and
    /// `advance`. An event that comes due without a handler here is left, unchanged, to an engine
    /// on the same storage that has one, now or later.
    void on(const std::string& type, Handler handler, const HandlerOptions& options = {});
    /// The same for a handler that takes a stop token.
    void on(const std::string& type, StoppableHandler handler, const HandlerOptions& options = {});
    /// The same for events of T's type. An event whose payload T cannot parse is refused: FAILED.
    template <TypedEvent T, class TypedHandler>
        requires std::is_invocable_r_v<Handled, const TypedHandler&, const T&, const Event&>
    void on(TypedHandler handler, const HandlerOptions& options = {}) {
        on(T::type, Handler{typed<T>(std::move(handler))}, options);
    }

    /// After `start`, events of the queue go to `handler`, on threads of this queue alone. It
    /// replaces any earlier one of this engine. Creates the queue unless it exists. The handler
    /// follows the same rules as one of a type: results, time limit, leases and stop. Other engines
    /// and workers can claim from the queue, too. Not called with a test clock. Errors:
    /// VALIDATION_FAILED, also after `start`.
    Result<Done> on_queue(const std::string& queue, Handler handler,
                          const QueueOptions& options = {});
    /// The same for a handler that takes a stop token.
    Result<Done> on_queue(const std::string& queue, StoppableHandler handler,
                          const QueueOptions& options = {});
    /// The same for payloads of one type. One that T cannot parse is refused: FAILED.
    template <TypedEvent T, class TypedHandler>
        requires std::is_invocable_r_v<Handled, const TypedHandler&, const T&, const Event&>
    Result<Done> on_queue(const std::string& queue, TypedHandler handler,
                          const QueueOptions& options = {}) {
        return on_queue(queue, Handler{typed<T>(std::move(handler))}, options);
    }

    /// Errors: VALIDATION_FAILED, DUPLICATE_EXTERNAL_ID.
    Result<User> create_user(const NewUser& requested);
    /// Also deletes the user's events. Errors: USER_NOT_FOUND.
    Result<Done> delete_user(const std::string& id);
    /// Creates the queue unless it exists. `name`: 1 to 128 characters. Its events wait for
    /// workers. Errors: VALIDATION_FAILED.
    Result<Done> create_queue(const std::string& name);
    /// A worker of that queue. `name` identifies the worker to people; use a new one at each start.
    PullWorker worker(const std::string& queue, const std::string& name);

    /// Creates the endpoint of that name, or replaces all its settings except type and secret.
    /// Webhooks and inboxes need `Options::webhooks`. Errors: VALIDATION_FAILED.
    Result<StoredEndpoint> put_endpoint(const NewEndpoint& requested);
    /// `endpoint` is an id, or "ext:" and a name. Errors of all of these: ENDPOINT_NOT_FOUND. All
    /// but this, `endpoints` and `delete_endpoint` take only endpoints of types that this engine
    /// has: VALIDATION_FAILED for a webhook or an inbox that another program has stored if
    /// `Options::webhooks` is not set.
    Result<Endpoint> find_endpoint(const std::string& endpoint);
    /// All, oldest first.
    Result<std::vector<Endpoint>> endpoints();
    /// Its events wait from now on. Requests under way are finished.
    Result<Endpoint> disable_endpoint(const std::string& endpoint);
    /// Releases the events that wait for it, and closes its circuit.
    Result<Endpoint> enable_endpoint(const std::string& endpoint);
    /// Changes single settings. Errors: also VALIDATION_FAILED, OPTIMISTIC_LOCK.
    Result<Endpoint> change_endpoint(const std::string& endpoint, const EndpointChange& change);
    /// Gives a webhook or an inbox a new signing secret, and new Ed25519 keys if it has some. The
    /// old ones sign beside it for a while. At most three secrets sign at a time. Errors: also
    /// VALIDATION_FAILED, for other types too; OPTIMISTIC_LOCK.
    Result<StoredEndpoint> rotate_secret(const std::string& endpoint,
                                         const SecretRotation& rotation);
    /// The same, where the old secret signs for a day.
    Result<StoredEndpoint> rotate_secret(const std::string& endpoint);
    /// Sends one request to a webhook or an inbox and waits for its outcome, for the endpoint's
    /// timeout at most. Needs no `start`. Not to be called in a transaction (REENTRANT_CALL).
    /// Errors: also ENDPOINT_DISABLED; VALIDATION_FAILED for a queue.
    Result<EndpointTest> test_endpoint(const std::string& endpoint);
    /// Its finished events stay. Errors: also ENDPOINT_IN_USE while events or schedules point to
    /// it.
    Result<Done> delete_endpoint(const std::string& endpoint);
    /// The requests that an inbox has got, newest first, `limit` (1 to 500) at most, each with what
    /// a check of its signature finds. Errors: also VALIDATION_FAILED, for other types too.
    Result<std::vector<ReceivedRequest>> inbox(const std::string& endpoint, std::size_t limit = 50);
    /// Deletes them. Errors: also VALIDATION_FAILED for other types.
    Result<Done> clear_inbox(const std::string& endpoint);

    /// Not re-entrant: even the holder cannot acquire it again. Errors: VALIDATION_FAILED,
    /// LOCK_HELD.
    Result<Lock> acquire_lock(const std::string& name, const LockOptions& options = {});
    /// Several locks at once, or none. They are acquired in the order of their names, so that two
    /// callers never wait for each other; the result has the order of `names`, which are at most
    /// 100, each once. `wait` is for each of them. Errors: as above.
    Result<std::vector<Lock>> acquire_locks(const std::vector<std::string>& names,
                                            const LockOptions& options = {});

    /// The holder of a lock, now; empty if it is free. For displays: a lock that was free may be
    /// held by the time that this returns.
    Result<std::optional<HeldLock>> find_lock(const std::string& name);
    /// Leases for `once_across_processes` of `sundial/cache.hpp`, by the engine's locks: one
    /// process loads a value for all. They are shared by all processes with the same locks.
    /// Thread-safe. The engine must outlive them.
    [[nodiscard]] std::unique_ptr<LoadLeases> load_leases();

    /// Errors: VALIDATION_FAILED, DUPLICATE_IDEMPOTENCY_KEY.
    Result<Event> schedule(const NewEvent& requested);
    /// Errors: EVENT_NOT_FOUND.
    Result<Event> find_event(const std::string& id);
    /// Errors: EVENT_NOT_FOUND; INVALID_STATE_TRANSITION if the event is claimed or finished.
    Result<Event> cancel(const std::string& id);

    /// Stores all of them or none, in one transaction. At most 1,000. Errors: those of `schedule`,
    /// for the first event that is refused.
    Result<std::vector<Event>> schedule_all(const std::vector<NewEvent>& requested);
    /// One page of the events that match, in the order of their due time. A page may have fewer
    /// events than its limit, or none, although more follow: go on until `next` is empty. Errors:
    /// VALIDATION_FAILED, INVALID_CURSOR; USER_NOT_FOUND and so on for names in the filter.
    Result<EventPage> events(const EventFilter& filter, const PageOptions& page);
    /// The first page.
    Result<EventPage> events(const EventFilter& filter);
    /// Changes a PENDING event. Errors: EVENT_NOT_FOUND, VALIDATION_FAILED,
    /// INVALID_STATE_TRANSITION.
    Result<Event> change(const std::string& id, const EventChange& change);
    /// Attempts the event again, at once. One that waits for its next attempt waits no longer. For
    /// a FAILED one, returns a new event under the same idempotency key, and dismisses the old one.
    /// Errors: EVENT_NOT_FOUND, INVALID_STATE_TRANSITION; DUPLICATE_IDEMPOTENCY_KEY if it was
    /// retried before.
    Result<Event> retry(const std::string& id);
    /// Marks a FAILED event as handled by people, so that `EventFilter::dead_letters` leaves it
    /// out. Errors: EVENT_NOT_FOUND, INVALID_STATE_TRANSITION.
    Result<Event> dismiss(const std::string& id);

    /// Creates the schedule of that name, or replaces it. Its events follow: a few at once, many in
    /// the background. Errors: VALIDATION_FAILED, INVALID_TEMPLATE.
    Result<Schedule> put_schedule(const NewSchedule& requested);
    /// Errors of these: SCHEDULE_NOT_FOUND.
    Result<Schedule> find_schedule(const std::string& name);
    /// Also cancels its events that are not claimed.
    Result<Done> delete_schedule(const std::string& name);
    /// One event of the schedule that is due now, beside its rule. `user_id` if it is for each
    /// user. Errors: also VALIDATION_FAILED.
    Result<Event> trigger_schedule(const std::string& name, const std::string& user_id = {});
    /// The next `count` times, 1 to 100, that the schedule would have. Stores nothing. Errors:
    /// VALIDATION_FAILED, INVALID_TEMPLATE.
    Result<Preview> preview(const NewSchedule& requested, std::size_t count = 10);

    /// Runs `work` in one transaction: everything that it does with its Transaction is committed,
    /// or nothing, together with statements of your own. `work` is a function of `Transaction&`
    /// that returns Result<T>, and so does this: an error rolls back. If it returns nothing, any
    /// failed call rolls back, and this returns Result<Done> with the first error.
    ///
    ///     const auto placed = engine->transact([&](sundial::Transaction& tx) {
    ///         (void)tx.sql("INSERT INTO orders (id, total) VALUES ($1, $2)", id, total);
    ///         (void)tx.schedule({.type = "REMINDER", .at = tomorrow, .payload = reminder});
    ///         (void)tx.append({"Order", id}, sundial::Expected::no_stream(), {{.type =
    ///         "Placed"}});
    ///     });
    ///
    /// `work` may run again after a conflict with another transaction, so it must have no effects
    /// elsewhere. Other writers may wait for it, on SQLite all of them: it must not wait for
    /// anything outside of the database. A transaction inside another, on the same thread, is a
    /// part of it. Further errors: SQL_FAILED; COMMIT_OUTCOME_UNKNOWN.
    template <class Work>
    auto transact(Work&& work);
    /// The transaction that is open on `connection`, a PGconn of your own to the engine's
    /// PostgreSQL database. Your COMMIT commits all that the returned object did. The connection's
    /// role needs the same rights on the schema `sundial` as the engine's role; use the same role
    /// if possible.
    [[nodiscard]] CallerTransaction in(pg_conn* connection);

    /// Streams for the history of your own objects: see `sundial/streams.hpp`.
    [[nodiscard]] Streams streams();
    /// How events ended, as subscriptions: see `sundial/outcomes.hpp`.
    [[nodiscard]] Outcomes outcomes();

    /// From now on the engine calls handlers on its threads as events come due, and deletes
    /// finished events: 90 days after completion, 365 after failure. Not with a test clock.
    void start();
    /// Calls no more handlers and waits for those that run; after `Options::stop_within` it asks
    /// them to stop. If a handler returns more than 25 s after the call, its outcome is lost, and
    /// its event is handled again after the next start. Waiting workers get STOPPED. The engine
    /// cannot be started again. In a handler it requests the same and returns at once: a later
    /// `stop` elsewhere, or the destructor, waits.
    void stop();
    /// Advances a test clock: every event that comes due in between is handled at its instant, on
    /// the engine's threads, before this returns. Returns the number of completed events. Errors:
    /// CLOCK_NOT_TEST; REENTRANT_CALL in a handler; STOPPED if the engine was stopped, possibly
    /// after some of the events were handled.
    Result<std::uint64_t> advance(std::chrono::microseconds by);
    /// The storage's clock, which decides which events are due.
    Result<Instant> now();

private:
    struct Parts;
    explicit Engine(std::shared_ptr<Parts> parts);
    template <TypedEvent T, class TypedHandler>
    static auto typed(TypedHandler handler) {
        return [handler = std::move(handler)](const Event& event) {
            const std::optional<T> parsed = T::parse(event.payload);
            if (!parsed) return Handled::refuse("its payload is not one of its type");
            return Handled(handler(*parsed, event));
        };
    }
    Result<Done> run_transaction(const std::function<Result<Done>(Transaction&)>& work);
    static void close(std::shared_ptr<Parts> parts) noexcept;
    std::shared_ptr<Parts> parts_;
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
