#include "application/maintenance/maintenance.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "application/ports/store.hpp"

namespace sundial {

bool ForgetOld::batch() {
    const std::array kinds{
        std::pair{Kept::completed, terms_.completed}, std::pair{Kept::failed, terms_.failed},
        std::pair{Kept::attempts, terms_.attempts}, std::pair{Kept::keys, terms_.keys},
        std::pair{Kept::skips, terms_.completed}};
    bool more = false;
    for (const auto& [what, age] : kinds) {
        more = retention_.forget(what, age, rows_of_a_batch) || more;
    }
    return more;
}

namespace {

using namespace std::chrono_literals;

/// Maximum time without a leader after one has died. Three times the longest batch expected on a
/// slow disk.
constexpr std::chrono::microseconds lease = 30s;
/// How often a leader renews, and other instances try to become the leader.
constexpr std::chrono::microseconds check_interval = lease / 3;
constexpr std::chrono::microseconds pause_after_failure = 60s;

}  // namespace

Maintenance::Maintenance(Ports ports, std::string holder, std::vector<MaintenanceJob> jobs)
    : ports_{ports},
      requested_{.name = "sundial.maintenance", .holder = std::move(holder), .ttl = lease} {
    const Mono now = ports_.monotonic.now();
    for (MaintenanceJob& job : jobs) {
        const Mono first = now + job.first_after;
        jobs_.push_back({std::move(job), first});
    }
}

bool Maintenance::leads() {
    if (leading_) {
        (void)leading_->renew_if_due();
        if (leading_->stop_if_due()) return true;
        leading_.reset();
    }
    auto acquired = ports_.locks.acquire(requested_);
    if (!acquired) return false;
    leading_ = std::make_unique<LockKeeper>(ports_.locks, ports_.monotonic, std::move(*acquired),
                                            requested_, std::chrono::microseconds::max() / 2);
    return true;
}

void Maintenance::work(Due& due) {
    try {
        const bool more = due.job.batch();
        due.at = ports_.monotonic.now() + (more ? 0us : due.job.every);
    } catch (const std::exception& error) {
        due.at = ports_.monotonic.now() + pause_after_failure;
        warn("maintenance (" + due.job.name + ") is tried again", error);
    }
}

Mono Maintenance::turn() {
    const Mono now = ports_.monotonic.now();
    try {
        if (jobs_.empty() || !leads()) return now + check_interval;
    } catch (const std::exception& error) {
        warn("cannot elect a maintenance leader", error);
        return now + check_interval;
    }
    const auto next = std::ranges::min_element(jobs_, {}, &Due::at);
    if (next->at <= ports_.monotonic.now()) work(*next);
    return std::min(std::ranges::min(jobs_, {}, &Due::at).at, now + check_interval);
}

void Maintenance::run() {
    const SchedulerScope scheduler;
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        lock.unlock();
        const Mono next = turn();
        lock.lock();
        changed_.wait_for(lock, next - ports_.monotonic.now(), [&] { return stopping_; });
    }
    lock.unlock();
    hand_over();
}

void Maintenance::hand_over() {
    if (!leading_) return;
    const AcquiredLock had = leading_->lock();
    leading_.reset();
    try {
        (void)ports_.locks.release(had.name, had.lock_token);
    } catch (const std::exception& error) {
        warn("the maintenance lock could not be released; it ends with its lease", error);
    }
}

void Maintenance::stop() {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
    changed_.notify_all();
}

void Maintenance::warn(const std::string& what, const std::exception& why) {
    ports_.log.write({.level = base::LogLevel::warn,
                      .event_name = {},
                      .message = what + ": " + why.what(),
                      .correlation_id = {},
                      .fields = {}});
}

}  // namespace sundial
