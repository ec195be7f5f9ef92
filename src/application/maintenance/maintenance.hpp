#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "application/locks/lock_guard.hpp"
#include "application/locks/locks.hpp"
#include "application/ports/mono.hpp"
#include "base/log.hpp"

namespace sundial {

/// Something to be done now and then by one instance at a time.
struct MaintenanceJob {
    std::string name;  // "retention", for the log
    std::chrono::microseconds every;
    /// One batch, of a second or so; true if there is more to do at once. It may throw. A leader
    /// that is slower than its lease is not the only one, so a batch must do no harm when another
    /// instance does the same.
    std::function<bool()> batch;
};

/// Does the jobs of all instances on the one that has the lock `sundial.maintenance`; when it dies,
/// another takes over within a lease. Thread-safe; `run` on a thread of its own.
class Maintenance {
public:
    struct Ports {
        Locks& locks;
        const MonotonicClock& monotonic;
        base::Log& log;
    };
    /// `holder` says which instance this is, for whoever lists locks.
    Maintenance(Ports ports, std::string holder, std::vector<MaintenanceJob> jobs);

    /// Works until stop(). Never throws.
    void run();
    void stop();
    /// Does one batch if this instance leads, or can from now on, and one is due. Returns when to
    /// come again. Never throws. Only for whoever drives it alone.
    Mono turn();
    /// Lets others lead at once. Only after run() has returned.
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
    const LockWanted wanted_;
    std::vector<Due> jobs_;
    std::unique_ptr<LockKeeper> leading_;  // null: another instance leads
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
};

}  // namespace sundial
