#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/saturate.hpp"
#include "domain/error.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A lease of a lock is no shorter and no longer.
inline constexpr std::chrono::microseconds shortest_lock_ttl = std::chrono::milliseconds{100};
inline constexpr std::chrono::microseconds longest_lock_ttl = std::chrono::hours{24};

/// A named lock. It exists from its first acquisition on, because its fencing token outlives every
/// holder. A plain value; the functions below return the next one (concurrency 1, "Locks").
struct Lock {
    std::string name;               // 1 to 128 printable characters
    FencingToken fencing_token{0};  // the greatest ever granted, or seen by the guarded resource
    std::string token_hash{};       // of the holder's lock token; empty: not held
    std::string holder{};           // for people
    Instant acquired_at{};
    Instant expires_at{};
    friend bool operator==(const Lock&, const Lock&) = default;
};

struct LockRequest {
    std::string name;
    std::string holder;
    std::string token_hash;  // SHA-256 of a token made for this request: 32 bytes
    std::chrono::microseconds ttl;
    FencingToken floor{0};  // the greatest token that the guarded resource has seen
};

/// A granted lock, as its holder gets it.
struct LockGrant {
    FencingToken fencing_token;
    Instant expires_at;
    friend bool operator==(const LockGrant&, const LockGrant&) = default;
};
[[nodiscard]] inline LockGrant grant_of(const Lock& lock) {
    return {lock.fencing_token, lock.expires_at};
}

[[nodiscard]] bool is_held(const Lock& lock, Instant now);
[[nodiscard]] LockHeld held(const Lock& lock);

/// Grants the lock under a token greater than any before. Repeating the same request returns the
/// same grant. Errors: LockHeld, also if the caller is the holder.
[[nodiscard]] Result<Lock, LockHeld> grant(Lock lock, const LockRequest& request, Instant now);
/// Extends the lease to `ttl` from now under the same fencing token; never shortens it. Errors:
/// LockNotHeld; LockLeaseLost if the lease has expired, even if no other holder took the lock.
[[nodiscard]] Result<Lock, LockNotHeld, LockLeaseLost> renew(Lock lock,
                                                             const std::string& token_hash,
                                                             std::chrono::microseconds ttl,
                                                             Instant now);
/// Errors: LockNotHeld, also if the lease has expired.
[[nodiscard]] Result<Lock, LockNotHeld> release(Lock lock, const std::string& token_hash,
                                                Instant now);
/// Whether the holder of `token` may write. Errors: LockLeaseLost.
[[nodiscard]] Result<void, LockLeaseLost> admit(const Lock& lock, FencingToken token, Instant now);

// For a lock in another store: the guarded resource remembers the greatest token that it has seen.
/// Records a token granted just now, which must be greater. Errors: LockLeaseLost.
[[nodiscard]] Result<Lock, LockLeaseLost> raise(Lock fence, FencingToken granted);
/// Records the token of a holder that writes. Errors: LockLeaseLost for a smaller one.
[[nodiscard]] Result<Lock, LockLeaseLost> pass(Lock fence, FencingToken token);

/// When the holder of a lock renews it, and when it must consider it lost. Both use the holder's
/// own monotonic clock, independent of the store's clock. A grant requested at one moment lasts at
/// least `ttl` from that moment, however late the response arrives. A plain state machine.
class LockLease {
public:
    using Moment = std::chrono::microseconds;  // of the monotonic clock
    struct Terms {
        std::chrono::microseconds ttl;
        std::chrono::microseconds max_hold;  // counted from the grant, renewals included
    };

    /// Granted by a request sent at `asked` and answered at `answered`.
    LockLease(const Terms& terms, Moment asked, Moment answered)
        : terms_{terms},
          hold_until_{base::later(asked, terms.max_hold)},
          ends_{asked + terms.ttl},
          renew_at_{asked + terms.ttl / 3},
          round_trip_{answered - asked} {}

    /// Early enough that a holder that works until then has stopped before another gets the lock.
    [[nodiscard]] Moment lost_at() const {
        return ends_ - std::max(terms_.ttl / 10, 2 * round_trip_);
    }
    /// When to request the next renewal; nothing if none is left before `lost_at`.
    [[nodiscard]] std::optional<Moment> renew_at() const {
        if (ends_ >= hold_until_ || renew_at_ >= lost_at()) return std::nullopt;
        return renew_at_;
    }
    /// The ttl of a renewal requested now.
    [[nodiscard]] std::chrono::microseconds renew_for(Moment now) const {
        return std::min(terms_.ttl, hold_until_ - now);
    }
    void renewed(Moment asked, Moment answered) {
        ends_ = std::max(ends_, asked + renew_for(asked));
        renew_at_ = asked + terms_.ttl / 3;
        round_trip_ = answered - asked;
    }
    /// The request got no response; repeat it soon.
    void failed(Moment now) { renew_at_ = now + terms_.ttl / 20; }
    /// The store reports that the lease has expired.
    void refused(Moment now) { ends_ = std::min(ends_, now); }

private:
    Terms terms_;
    Moment hold_until_;
    Moment ends_;
    Moment renew_at_;
    std::chrono::microseconds round_trip_;
};

}  // namespace sundial
