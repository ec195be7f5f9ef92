#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "application/locks/lock_guard.hpp"
#include "application/locks/locks.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/retention.hpp"
#include "base/log.hpp"

namespace sundial {

/// Retention periods of finished data.
struct RetentionTerms {
    /// Also for cancelled events and skips.
    std::chrono::microseconds completed = std::chrono::days{90};
    std::chrono::microseconds failed = std::chrono::days{365};
    std::chrono::microseconds attempts = std::chrono::days{30};
    std::chrono::microseconds keys = key_kept_for;  // the minimum allowed
};

/// Retention: deletes one batch of each kind per call.
class ForgetOld {
public:
    /// Rows of one kind deleted at once: half a second's work on a slow disk.
    static constexpr std::size_t rows_of_a_batch = 1000;

    ForgetOld(Retention& retention, const RetentionTerms& terms)
        : retention_{retention}, terms_{terms} {}
    /// True if there may be more. Throws Unavailable.
    bool batch();

private:
    Retention& retention_;
    const RetentionTerms terms_;
};

/// Index ranges that a batch of the job "history index" looks at. If all lack a summary, it reads
/// 256 MiB of rows, in about half a second.
inline constexpr std::size_t ranges_of_a_batch = 1024;
/// How often. PostgreSQL's autovacuum works off its own requests as often, by default.
inline constexpr std::chrono::minutes between_summaries{1};

/// A periodic job that one instance at a time runs.
struct MaintenanceJob {
    std::string name;  // "retention", for the log
    std::chrono::microseconds every;
    std::chrono::microseconds first_after{};  // the start, for a job that would delay due events
    /// One batch of about a second; true if more can be done at once. It may throw. A leader that
    /// is slower than its lease may not be the only one, so a batch must do no harm if another
    /// instance runs it too.
    std::function<bool()> batch;
};

/// Runs the jobs of all instances on the one that has the lock `sundial.maintenance`. If it dies,
/// another takes over within a lease. Thread-safe; call `run` on a thread of its own.
class Maintenance {
public:
    struct Ports {
        Locks& locks;
        const MonotonicClock& monotonic;
        base::Log& log;
    };
    /// `holder` names this instance in the list of locks.
    Maintenance(Ports ports, std::string holder, std::vector<MaintenanceJob> jobs);

    /// Works until stop(). Never throws.
    void run();
    void stop();
    /// Runs one batch if a job is due and this instance leads or can become the leader. Returns
    /// when to call again. Never throws. Only for a caller that drives it alone.
    Mono turn();
    /// Releases the leadership at once. Only after run() has returned.
    void hand_over();

private:
    struct Due {
        MaintenanceJob job;
        Mono at;
    };
    [[nodiscard]] bool leads();
    void work(Due& due);
    void warn(const std::string& what, const std::exception& why);

    Ports ports_;
    const LockTerms requested_;
    std::vector<Due> jobs_;
    std::unique_ptr<LockKeeper> leading_;  // null: another instance leads
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
};

}  // namespace sundial
