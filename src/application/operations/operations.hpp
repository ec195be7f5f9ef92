#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "base/log.hpp"
#include "domain/operation.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// Rows in one transaction of a long job: few enough that claims skip them only briefly.
inline constexpr std::size_t batch_size = 200;
/// Events that a dry run shows.
inline constexpr std::size_t max_samples = 5;

/// The result of one batch of an operation.
struct Batch {
    std::uint64_t done = 0;
    std::vector<OperationFailure> failures{};
    std::optional<std::string> cursor;   // the operation's progress after this batch
    bool last = false;                   // nothing is left to do
    std::chrono::microseconds pause{0};  // before the next batch
    std::optional<std::string> moot;     // why the rest is no longer needed
    Instant earliest = never;            // when the first planned or moved event is claimable
};

/// The failure for a subject whose zone is not in the tz database.
[[nodiscard]] inline OperationFailure unknown_zone(OperationSubject subject, Uuid id,
                                                   const std::string& zone) {
    return {subject, id, "unknown_zone", "'" + zone + "' is not in the tz database"};
}

/// The work of one operation while this instance holds it. Used by one thread.
class OperationTask {
public:
    virtual ~OperationTask() = default;
    /// Number of rows to process. Called once, with the first batch.
    virtual std::uint64_t count(Transaction& tx, const Operation& operation) = 0;
    /// Processes one batch, in the transaction that stores its progress. May be called again after
    /// a conflict, and must then do the same.
    virtual Batch run(Transaction& tx, const Operation& operation) = 0;
    /// Called after the batch is committed, for work that needs transactions of its own.
    virtual void committed() {}
};

/// An operation that no instance holds: the first one that looks for work takes it. `now` is the
/// transaction's time.
[[nodiscard]] Operation unheld_operation(Ids& ids, OperationKind kind, const Schedule& schedule,
                                         Instant now);

using MakeOperationTask = std::function<std::unique_ptr<OperationTask>(const Operation&)>;

/// Maximum number of bulk operations at work at once, on all instances together (reliability:
/// limits).
inline constexpr std::size_t max_bulk_operations = 4;
/// Maximum number of failures of one operation that are stored with their reasons.
inline constexpr std::uint64_t max_failures_kept = 10'000;

struct OperationSettings {
    InstanceId instance;
    /// After this time without a batch, other instances may take over this instance's operations.
    std::chrono::microseconds lease = std::chrono::seconds{30};
    /// How often to check for operations that other instances started or abandoned.
    std::chrono::milliseconds check_interval = std::chrono::seconds{5};
    /// How often the progress of a long operation is logged.
    std::chrono::microseconds report_interval = std::chrono::seconds{10};
};

/// The long jobs. Starts those of this instance, and works through those of all instances, one
/// batch after another. An operation is leased like an event: an instance holds it while its
/// version is the one of its claim, so no batch is done twice. Thread-safe; call `run` on a thread
/// of its own.
class Operations {
public:
    struct Ports {
        Store& store;
        Ids& ids;
        Wakeups& wakeups;
        const MonotonicClock& monotonic;
        base::Log& log;
        MakeOperationTask make_task;
    };
    Operations(const OperationSettings& settings, Ports ports);

    /// Stores an operation on `schedule` in the transaction of the edit that it continues. The
    /// caller holds the operation and calls `begin` after the commit. `cursor` is the start, if its
    /// kind needs one.
    [[nodiscard]] Operation start(Transaction& tx, OperationKind kind, const Schedule& schedule,
                                  std::optional<std::string> cursor = std::nullopt);
    /// The same for one action on `total` events, described by `request`. Errors:
    /// TooManyOperations.
    [[nodiscard]] OperationResult<Operation> start_bulk(Transaction& tx, std::string request,
                                                        std::uint64_t total);
    /// Runs the first batch on this thread, so that a small operation ends before its caller gets
    /// the answer. `run` does the rest. Returns the operation's state after that. Never throws.
    Operation begin(const Operation& started);
    /// Ends it after the batch under way; completed work stays. A finished operation is not
    /// changed. Errors: NotFound, OptimisticLock.
    [[nodiscard]] OperationResult<Operation> stop(std::string_view id,
                                                  std::optional<Version> expected,
                                                  const Caller& caller);

    /// Works until shut_down(), which takes effect after the batch under way. Never throws.
    void run();
    void shut_down();
    /// Returns when no work is left that other instances do not hold, except paused operations.
    /// Throws Unavailable.
    void drain();
    /// When unclaimed work is available: now, or the end of a pause; `never` if there is none.
    /// Throws Unavailable.
    [[nodiscard]] Instant next_at();

    /// The number of RUNNING operations of each kind that has any, on all instances.
    [[nodiscard]] std::map<OperationKind, std::size_t> running();

private:
    class AtWork;
    /// Runs one batch. Returns the operation after it; empty if another instance holds it now, or
    /// it has ended.
    [[nodiscard]] std::optional<Operation> batch(const Operation& held, OperationTask& task);
    [[nodiscard]] Operation fresh(Transaction& tx, OperationKind kind);
    [[nodiscard]] std::optional<Operation> claim_one();
    void work_through(Operation operation);
    [[nodiscard]] bool work_on_one();
    /// Changes a held operation to end or release it. Does nothing if it is no longer held.
    template <class Change>
    void change(const Operation& held, Change change);
    std::optional<Operation> failed(const Operation& held, const char* why);
    /// Estimated time without work.
    [[nodiscard]] std::chrono::microseconds rest();
    void wait(std::chrono::microseconds at_most);
    void wake();
    /// Logs the failure that delays the work; it is tried again.
    void report_wait(const std::exception& error);
    void report(const Operation& operation, const char* what,
                base::LogLevel level = base::LogLevel::info);

    const OperationSettings settings_;
    Ports ports_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    bool woken_ = false;
    int at_work_ = 0;  // number of working threads
};

}  // namespace sundial
