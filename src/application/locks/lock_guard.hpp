#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "application/locks/locks.hpp"
#include "domain/lock.hpp"

namespace sundial {

/// Keeps one acquired lock: renews it after a third of its lease, and requests a stop before
/// another caller can acquire it. There are two separate steps, each called when it is due, so that
/// a renewal without an answer does not delay the stop. Thread-safe.
class LockKeeper {
public:
    LockKeeper(Locks& locks, const MonotonicClock& monotonic, AcquiredLock lock,
               const LockTerms& requested, std::chrono::microseconds max_hold);

    /// Renews it if that is due. Returns when to call again; empty if there is nothing more to
    /// renew. Never throws.
    std::optional<Mono> renew_if_due();
    /// Requests the stop if that is due. Returns when to call again; empty once the lock is lost.
    std::optional<Mono> stop_if_due();
    /// Requested before another caller can be granted the lock.
    [[nodiscard]] std::stop_token lost() const { return lost_.get_token(); }
    [[nodiscard]] const AcquiredLock& lock() const { return lock_; }

private:
    Locks& locks_;
    const MonotonicClock& monotonic_;
    const AcquiredLock lock_;
    mutable std::mutex mutex_;
    LockLease lease_;
    std::stop_source lost_;
};

/// Holds a lock during its lifetime, for work that stops on request. Move-only; the objects that it
/// refers to must outlive it.
class LockGuard {
public:
    struct Terms {
        std::chrono::microseconds wait{0};
        std::chrono::microseconds max_hold = std::chrono::hours{24};
    };
    /// Errors: as Locks::acquire; ValidationFailed for a negative wait or a hold time that is not
    /// positive. Throws Unavailable.
    [[nodiscard]] static Result<LockGuard, ValidationFailed, LockHeld> acquire(
        Locks& locks, const MonotonicClock& monotonic, const LockTerms& requested,
        const Terms& terms, const std::stop_token& stop = {});
    LockGuard(LockGuard&&) noexcept;
    LockGuard& operator=(LockGuard&&) noexcept;
    /// Releases the lock. If the store does not answer, the lease expires by itself.
    ~LockGuard();

    [[nodiscard]] const AcquiredLock& lock() const;
    [[nodiscard]] std::stop_token lost() const;
    /// For a transaction on data that the lock protects. Errors: LockLeaseLost.
    [[nodiscard]] Result<void, LockLeaseLost> guard(Transaction& tx) const;

private:
    struct Kept;
    explicit LockGuard(std::unique_ptr<Kept> kept);
    std::unique_ptr<Kept> kept_;
};

}  // namespace sundial
