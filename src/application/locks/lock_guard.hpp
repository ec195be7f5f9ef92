#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "application/locks/locks.hpp"
#include "domain/lock_lease.hpp"

namespace sundial {

/// Keeps one acquired lock: renews it at a third of its lease, and requests a stop before it could
/// be somebody else's. Two steps, each to be taken when it is due, so that a renewal that gets no
/// answer does not hold up the stop. Thread-safe.
class LockKeeper {
public:
    LockKeeper(Locks& locks, const MonotonicClock& monotonic, AcquiredLock lock,
               const LockWanted& wanted, std::chrono::microseconds max_hold);

    /// Renews it if that is due. Returns when to come again; nothing when there is no more to
    /// renew. Never throws.
    std::optional<Mono> renew_if_due();
    /// Requests the stop if that is due. Returns when to come again; nothing once it is lost.
    std::optional<Mono> stop_if_due();
    /// Requested before another can be granted the lock.
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

/// A lock that is held for as long as this is there, for work that stops when told to. Move-only;
/// what it refers to must outlive it.
class LockGuard {
public:
    struct Terms {
        std::chrono::microseconds wait{0};
        std::chrono::microseconds max_hold = std::chrono::hours{24};
    };
    /// Errors: as Locks::acquire; ValidationFailed for a negative wait, or no time to hold it.
    /// Throws Unavailable.
    [[nodiscard]] static Result<LockGuard> acquire(Locks& locks, const MonotonicClock& monotonic,
                                                   const LockWanted& wanted, const Terms& terms,
                                                   const std::stop_token& stop = {});
    LockGuard(LockGuard&&) noexcept;
    LockGuard& operator=(LockGuard&&) noexcept;
    /// Releases it; if nobody answers, its lease ends by itself.
    ~LockGuard();

    [[nodiscard]] const AcquiredLock& lock() const;
    [[nodiscard]] std::stop_token lost() const;
    /// For a transaction on what it guards. Errors: LockLeaseLost.
    [[nodiscard]] Result<void> guard(Transaction& tx) const;

private:
    struct Kept;
    explicit LockGuard(std::unique_ptr<Kept> kept);
    std::unique_ptr<Kept> kept_;
};

}  // namespace sundial
