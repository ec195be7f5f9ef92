#include "application/locks/lock_guard.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>
#include <variant>

namespace sundial {

LockKeeper::LockKeeper(Locks& locks, const MonotonicClock& monotonic, AcquiredLock lock,
                       const LockTerms& requested, std::chrono::microseconds max_hold)
    : locks_{locks},
      monotonic_{monotonic},
      lock_{std::move(lock)},
      lease_{{.ttl = requested.ttl, .max_hold = max_hold}, lock_.asked, lock_.answered} {}

std::optional<Mono> LockKeeper::renew_if_due() {
    std::chrono::microseconds ttl{};
    const Mono asked = monotonic_.now();
    {
        const std::lock_guard lock{mutex_};
        if (lost_.stop_requested()) return std::nullopt;
        const auto due = lease_.renew_at();
        if (!due || asked < *due) return due;
        ttl = std::max(lease_.renew_for(asked), shortest_lock_ttl);
    }
    std::optional<decltype(locks_.renew(lock_.name, lock_.lock_token, ttl))> answer;
    try {
        answer.emplace(locks_.renew(lock_.name, lock_.lock_token, ttl));
    } catch (const std::exception&) {
        answer.reset();  // no answer: there may be time for another request
    }
    const Mono answered = monotonic_.now();
    const std::lock_guard lock{mutex_};
    if (!answer) {
        lease_.failed(answered);
    } else if (*answer) {
        lease_.renewed(asked, answered);
    } else {
        lease_.refused(answered);
    }
    return lease_.renew_at();
}

std::optional<Mono> LockKeeper::stop_if_due() {
    {
        const std::lock_guard lock{mutex_};
        if (monotonic_.now() < lease_.lost_at()) return lease_.lost_at();
    }
    lost_.request_stop();
    return std::nullopt;
}

/// The state of a guard, at a stable address so that the guard can be moved while its threads run.
struct LockGuard::Kept {
    Kept(Locks& its_locks, const MonotonicClock& its_monotonic, AcquiredLock lock,
         const LockTerms& requested, std::chrono::microseconds max_hold)
        : locks{its_locks},
          monotonic{its_monotonic},
          keeper{locks, monotonic, std::move(lock), requested, max_hold},
          renewing{[this](const std::stop_token& stop) { renew(stop); }},
          watching{[this](const std::stop_token& stop) { watch(stop); }} {}

    /// False if a stop is requested. Returns early if the other thread has changed the state.
    bool sleep_until(Mono when, const std::stop_token& stop) {
        std::unique_lock lock{mutex};
        const auto generation = changes;
        changed.wait_for(lock, stop, when - monotonic.now(), [&] { return changes != generation; });
        return !stop.stop_requested();
    }
    void renew(const std::stop_token& stop) {
        for (auto next = keeper.renew_if_due(); next && sleep_until(*next, stop);) {
            next = keeper.renew_if_due();
            const std::lock_guard lock{mutex};
            ++changes;  // a refusal may bring the stop forward
            changed.notify_all();
        }
    }
    void watch(const std::stop_token& stop) {
        for (auto next = keeper.stop_if_due(); next && sleep_until(*next, stop);) {
            next = keeper.stop_if_due();
        }
    }

    Locks& locks;
    const MonotonicClock& monotonic;
    LockKeeper keeper;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::uint64_t changes = 0;
    std::jthread renewing;
    std::jthread watching;
};

LockGuard::LockGuard(std::unique_ptr<Kept> kept) : kept_{std::move(kept)} {}
LockGuard::LockGuard(LockGuard&&) noexcept = default;
LockGuard& LockGuard::operator=(LockGuard&& other) noexcept {
    std::swap(kept_, other.kept_);
    return *this;
}

Result<LockGuard, ValidationFailed, LockHeld> LockGuard::acquire(Locks& locks,
                                                                 const MonotonicClock& monotonic,
                                                                 const LockTerms& requested,
                                                                 const Terms& terms,
                                                                 const std::stop_token& stop) {
    if (terms.wait.count() < 0) return invalid("/wait", "out_of_range", "cannot be negative");
    if (terms.max_hold.count() <= 0) {
        return invalid("/maxHold", "out_of_range", "must be more than zero");
    }
    auto acquired = locks.acquire(requested, terms.wait, stop);
    if (!acquired) return acquired.error();
    return LockGuard{
        std::make_unique<Kept>(locks, monotonic, std::move(*acquired), requested, terms.max_hold)};
}

LockGuard::~LockGuard() {
    if (!kept_) return;
    kept_->renewing = {};  // no renewal follows the release
    kept_->watching = {};
    try {
        (void)kept_->locks.release(lock().name, lock().lock_token);
    } catch (const std::exception&) {
        return;  // its lease expires by itself
    }
}

const AcquiredLock& LockGuard::lock() const { return kept_->keeper.lock(); }
std::stop_token LockGuard::lost() const { return kept_->keeper.lost(); }
Result<void, LockLeaseLost> LockGuard::guard(Transaction& tx) const {
    return kept_->locks.guard(tx, lock().name, lock().fencing_token);
}

}  // namespace sundial
