#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "sundial/result.hpp"

/// The words of `sundial/engine.hpp`, which brings them into namespace `sundial`: include that one.
/// They live in a namespace of their own because the library's insides use some of the same words.
namespace sundial::embedding {

/// UTC, as fine as the databases keep.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;

/// Somebody who has a birthday.
struct NewUser {
    std::string first_name;     // 1 to 100 characters
    std::string last_name;      // likewise
    std::string date_of_birth;  // "1992-02-29"
    std::string timezone;       // where they live: "Europe/Paris"
    std::string external_id{};  // yours, unique; may be empty
};
struct User {
    std::string id;  // a UUID
    std::string first_name;
    std::string last_name;
    std::string date_of_birth;
    std::string timezone;
    std::string external_id;
};

/// Something to happen once: at an instant, or at a local time in a zone, which stays that local
/// time whatever happens to the zone's offset until then. One of the two; an instant in the past
/// is due at once.
struct NewEvent {
    std::string type;               // which handler it goes to: "REMINDER"
    std::optional<Instant> at{};    // this, or
    std::string local_time{};       // "2027-01-05T09:00:00"
    std::string timezone{};         // with "America/New_York"; empty: the user's
    std::string payload = "{}";     // kept and handed over byte by byte; at most 256 KiB
    std::string user_id{};          // whose it is; may be empty
    std::string idempotency_key{};  // [A-Za-z0-9_-]{1,128}; empty: one is made up
    std::string queue{};            // whose workers it waits for; empty: the handler of its type
};
struct Event {
    std::string id;
    std::string type;
    std::string status;           // PENDING, PROCESSING, COMPLETED, FAILED or CANCELLED
    std::string payload;          // of a birthday {"message":"Hey, Ada Li it's your birthday"}
    std::string idempotency_key;  // the same for every try of it, and for ever
    std::string user_id;          // may be empty
    Instant due;
    std::uint32_t attempt = 0;   // number of the latest try, from 1
    std::string failure_reason;  // why it FAILED or was CANCELLED
    std::uint64_t version = 0;   // one more with every change; what a claim returned fences it
};

/// What a handler says of one event.
class Handled {
public:
    enum class Verdict : std::uint8_t { done, retry, refused };
    /// It has happened: never again.
    static Handled done() { return {Verdict::done, {}}; }
    /// It has not, and may later: after 1 s, 2 s, 4 s, 30 s and so on up to a day, eleven tries.
    /// An exception says the same.
    static Handled retry(std::string why) { return {Verdict::retry, std::move(why)}; }
    /// It has not, and trying again is of no use: the event is FAILED.
    static Handled refuse(std::string why) { return {Verdict::refused, std::move(why)}; }

    [[nodiscard]] Verdict verdict() const { return verdict_; }
    [[nodiscard]] const std::string& reason() const { return reason_; }

private:
    Handled(Verdict verdict, std::string reason) : verdict_(verdict), reason_(std::move(reason)) {}
    Verdict verdict_;
    std::string reason_;
};
/// Runs on one of the engine's threads, several at once. A process that dies between the work of a
/// handler and the note that it is done runs it again at the next start: know the event by its
/// `idempotency_key`, and let the second time do no harm. Must come back within 10 s.
using Handler = std::function<Handled(const Event&)>;

struct Options {
    /// "memory:", gone with the process; "sqlite:FILE", this process's alone; or
    /// "postgresql://user@host/database". The database is this engine's alone: another process on
    /// it, which has not your handlers, would let your events wait.
    std::string storage = "memory:";
    /// The clock stands still until `advance` moves it, and nothing happens by itself: for tests.
    bool test_clock = false;
    /// Where the tz database lies.
    std::string zoneinfo = "/usr/share/zoneinfo";
    /// Told what operators should know, from any thread; may be empty.
    std::function<void(const std::string& line)> log{};
};

/// What a worker asks for.
struct WorkOrder {
    std::size_t limit = 1;  // 1 to 100 events at most
    std::chrono::microseconds lease{
        std::chrono::seconds{30}};      // 1 s to 12 h: how long they are its
    std::chrono::microseconds wait{0};  // how long, while nothing is due
};

/// Takes the events of one queue when it is ready for them, on a thread of yours, instead of being
/// called as a handler is:
///
///     auto worker = engine->worker("printers", "printer-1");
///     while (const auto work = worker.claim({.wait = 20s})) {
///         for (const auto& event : *work) {
///             const auto told = print(event.payload) ? worker.complete(event)
///                                                    : worker.fail(event, "no paper");
///             if (!told) complain(told.error().detail);
///         }
///     }
///
/// The loop ends with an error, which is STOPPED once the engine was stopped; after
/// STORAGE_UNAVAILABLE it may be begun again.
///
/// A claim is a lease: whoever says nothing before it ends loses the event to the next worker, and
/// what it says afterwards changes nothing (LEASE_LOST). So every event is completed once, but
/// worked on again where a worker died or was too slow: know it by its `idempotency_key`. Nothing
/// is claimed twice at a time, by however many workers and processes. Copies are the same worker;
/// thread-safe. The engine outlives its workers.
class PullWorker {
public:
    /// Events that are due, most urgent first; none if nothing came due in time. Errors:
    /// VALIDATION_FAILED, ENDPOINT_NOT_FOUND without that queue; STOPPED once the engine was
    /// stopped, at once: then nothing is claimed any more, and what was is still answered.
    Result<std::vector<Event>> claim(const WorkOrder& wanted = {});

    /// These take an event as `claim` returned it, and return it as it is then. Said again, as
    /// before. Of `why`, as of a handler's reason, 1,000 characters are kept, control characters
    /// as blanks. Errors: LEASE_LOST, INVALID_STATE_TRANSITION, EVENT_NOT_FOUND.
    Result<Event> complete(const Event& claimed);
    /// It waits for its next try: 1 s, 2 s, 4 s, 30 s and so on up to a day, eleven tries.
    Result<Event> fail(const Event& claimed, const std::string& why);
    /// It is FAILED: trying again is of no use.
    Result<Event> refuse(const Event& claimed, const std::string& why);
    /// Another worker may have it at once; no try is spent.
    Result<Event> release(const Event& claimed);
    /// The lease ends `lease` from now.
    Result<Event> extend(const Event& claimed, std::chrono::microseconds lease);

private:
    friend class Engine;
    struct Parts;
    explicit PullWorker(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
    std::shared_ptr<Parts> parts_;
};

class Streams;

struct LockOptions {
    std::chrono::microseconds ttl{
        std::chrono::seconds{30}};      // 100 ms to 24 h: held so long without renewal
    std::chrono::microseconds wait{0};  // how long, while somebody has it
    /// More than nothing. It is never held longer, however often it is renewed: for work that
    /// hangs.
    std::chrono::microseconds max_hold{std::chrono::hours{24}};
    std::string holder{};  // who has it, for people; empty: this engine
};

/// A name that nobody else has, in any process on the same database, while this is there; renewed
/// on a thread of its own. Work that it protects looks at `lost` and stops when told to:
///
///     if (auto lock = engine->acquire_lock("nightly-report", {.wait = 5min})) {
///         write_report(lock->lost(), lock->fencing_token());
///     }
///
/// A process can be frozen between its look and its write, and somebody else be granted the lock
/// meanwhile. What is written to can prevent that: let it remember the greatest fencing token that
/// it has seen, and refuse smaller ones.
///
/// A handle to move, not to copy. The engine outlives its locks.
class Lock {
public:
    Lock(Lock&&) noexcept;
    Lock& operator=(Lock&&) noexcept;
    /// Releases it; if nobody answers, its lease ends by itself.
    ~Lock();

    /// Greater than that of any earlier holder of this name.
    [[nodiscard]] std::uint64_t fencing_token() const;
    /// A stop is requested a tenth of the lease before anybody else can have it: when it could not
    /// be renewed, or was held as long as it may. By a clock that nobody sets.
    [[nodiscard]] std::stop_token lost() const;

private:
    friend class Engine;
    struct Parts;
    explicit Lock(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

/// Sundial inside your program: keeps people and events, and calls your handlers at the right local
/// time, through restarts and changes of the clocks.
///
///     auto engine = sundial::Engine::open({.storage = "sqlite:birthdays.db"});
///     if (!engine) return complain(engine.error().detail);
///     engine->on("BIRTHDAY", [](const sundial::Event& event) {
///         send(event.payload);
///         return sundial::Handled::done();
///     });
///     engine->start();
///     const auto user = engine->create_user({"Ada", "Li", "1992-02-29", "Europe/Paris"});
///     if (!user) return complain(user.error().detail);
///
/// Every user gets a BIRTHDAY at 09:00 where they live, every year; 29 February is kept on the 28th
/// in other years. What came due while no engine ran is handled after the start.
///
/// A handle to move, not to copy; thread-safe but for `on`, `start`, `stop` and moving it. Every
/// call may answer STORAGE_UNAVAILABLE.
class Engine {
public:
    /// Opens the storage and brings its tables up to date. Errors: CANNOT_START with what to do
    /// about it, STORAGE_UNAVAILABLE where trying again later may help.
    static Result<Engine> open(const Options& options);
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    /// Stops first.
    ~Engine();

    /// Events of `type` go to `handler`, in place of any earlier one. Before `start` and `advance`:
    /// an event that comes due without a handler waits for the next engine that is opened.
    void on(const std::string& type, Handler handler);

    /// Errors: VALIDATION_FAILED, DUPLICATE_EXTERNAL_ID.
    Result<User> create_user(const NewUser& wanted);
    /// Their events go with them. Errors: USER_NOT_FOUND.
    Result<Done> delete_user(const std::string& id);
    /// Makes sure that there is a queue of that name, 1 to 100 characters; its events wait for
    /// workers. Errors: VALIDATION_FAILED.
    Result<Done> create_queue(const std::string& name);
    /// A worker of that queue. `name` is its own, for people: made fresh at each start, best.
    PullWorker worker(const std::string& queue, const std::string& name);

    /// Not re-entrant: whoever has it is refused, too. Errors: VALIDATION_FAILED, LOCK_HELD.
    Result<Lock> acquire_lock(const std::string& name, const LockOptions& options = {});

    /// Errors: VALIDATION_FAILED, DUPLICATE_IDEMPOTENCY_KEY.
    Result<Event> schedule(const NewEvent& wanted);
    /// Errors: EVENT_NOT_FOUND.
    Result<Event> find_event(const std::string& id);
    /// Errors: EVENT_NOT_FOUND, INVALID_STATE_TRANSITION once it is being handled or over.
    Result<Event> cancel(const std::string& id);

    /// Histories of your own things, kept beside: see `sundial/streams.hpp`.
    [[nodiscard]] Streams streams();

    /// From here on handlers are called, on threads of the engine, as events come due, and what is
    /// over for long is deleted: 90 days after it was done, 365 after it failed. Not under a test
    /// clock.
    void start();
    /// No handler is called any more; waits for those that run. Workers that wait are answered
    /// STOPPED. There is no second start.
    void stop();
    /// Lets time pass on a test clock: every event on the way is handled at its instant, on threads
    /// of the engine, before this returns. Says how many were done. Errors: CLOCK_NOT_TEST.
    Result<std::uint64_t> advance(std::chrono::microseconds by);
    /// The storage's clock, which decides what is due.
    Result<Instant> now();

private:
    struct Parts;
    explicit Engine(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

}  // namespace sundial::embedding
