#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "application/operations/operation_task.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/wakeups.hpp"
#include "base/log.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// So many bulk operations are at work at once, on all instances together (reliability: limits).
inline constexpr std::size_t most_bulk_operations = 4;
/// Of what an operation could do nothing with, so much is kept with its reasons.
inline constexpr std::uint64_t most_failures_kept = 10'000;

struct OperationSettings {
    InstanceId instance;
    /// After so long without a batch others may take what this instance has.
    std::chrono::microseconds lease = std::chrono::seconds{30};
    /// How often to look for what other instances began or left behind.
    std::chrono::milliseconds look = std::chrono::seconds{5};
    /// How often a long one is told of in the log.
    std::chrono::microseconds tell = std::chrono::seconds{10};
};

/// The long jobs of this instance: begins them, and works through those of all instances, one
/// batch after another. An operation is leased like an event: whoever claims it holds it while its
/// version is his, so no batch is done twice. Thread-safe; `run` on a thread of its own.
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

    /// Makes an operation on `schedule` in the transaction of the edit that it carries on, held by
    /// the caller, who calls `begin` when that is committed. `cursor` is where it begins, if its
    /// kind needs to be told.
    [[nodiscard]] Operation start(Transaction& tx, OperationKind kind, const Schedule& schedule,
                                  std::optional<std::string> cursor = std::nullopt);
    /// The same for one action on many events, as `request` tells it, of which there are `total`.
    /// Errors: TooManyOperations.
    [[nodiscard]] Result<Operation> start_bulk(Transaction& tx, std::string request,
                                               std::uint64_t total);
    /// Does the first batch on this thread, so what is small is over when its caller is answered;
    /// the rest is left to `run`. Returns the operation as it is then. Never throws.
    Operation begin(const Operation& started);
    /// Ends it after the batch under way; what was done stays. One that is over stays as it is.
    /// Errors: NotFound, OptimisticLock.
    [[nodiscard]] Result<Operation> stop(std::string_view id, std::optional<Version> expected);

    /// Works until shut_down(), which is obeyed after the batch under way. Never throws.
    void run();
    void shut_down();
    /// Returns when nothing is left to do that no other instance holds, but for what pauses. Throws
    /// Unavailable.
    void drain();
    /// When there is something to do that nobody is at: now, or the end of a pause; `never` if
    /// there is nothing. Throws Unavailable.
    [[nodiscard]] Instant next_at();

    /// How many are RUNNING, of each kind that has some, on whichever instance.
    [[nodiscard]] std::map<OperationKind, std::size_t> running();

private:
    class AtWork;
    /// One batch; the operation after it, or nothing if it is another's by now, or over.
    [[nodiscard]] std::optional<Operation> batch(const Operation& held, OperationTask& task);
    [[nodiscard]] Operation fresh(Transaction& tx, OperationKind kind);
    [[nodiscard]] std::optional<Operation> claim_one();
    void work_through(Operation operation);
    [[nodiscard]] bool work_on_one();
    /// Ends, or gives up, what is held; does nothing if it is held no longer.
    template <class Change>
    void change(const Operation& held, Change change);
    std::optional<Operation> failed(const Operation& held, const char* why);
    /// How long there is nothing to do, as far as one can see.
    [[nodiscard]] std::chrono::microseconds rest();
    void wait(std::chrono::microseconds at_most);
    void wake();
    /// That something keeps the work from going on now; it is tried again.
    void tell_wait(const std::exception& error);
    void tell(const Operation& operation, const char* what,
              base::LogLevel level = base::LogLevel::info);

    const OperationSettings settings_;
    Ports ports_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    bool woken_ = false;
    int at_work_ = 0;  // threads that are
};

}  // namespace sundial
