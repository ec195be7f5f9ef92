#pragma once

#include <chrono>
#include <string>

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
[[nodiscard]] Result<Lock> grant(Lock lock, const LockRequest& request, Instant now);
/// Extends the lease to `ttl` from now under the same fencing token; never shortens it. Errors:
/// LockNotHeld; LockLeaseLost if the lease has expired, even if no other holder took the lock.
[[nodiscard]] Result<Lock> renew(Lock lock, const std::string& token_hash,
                                 std::chrono::microseconds ttl, Instant now);
/// Errors: LockNotHeld, also if the lease has expired.
[[nodiscard]] Result<Lock> release(Lock lock, const std::string& token_hash, Instant now);
/// Whether the holder of `token` may write. Errors: LockLeaseLost.
[[nodiscard]] Result<void> admit(const Lock& lock, FencingToken token, Instant now);

// For a lock in another store: the guarded resource remembers the greatest token that it has seen.
/// Records a token granted just now, which must be greater. Errors: LockLeaseLost.
[[nodiscard]] Result<Lock> raise(Lock fence, FencingToken granted);
/// Records the token of a holder that writes. Errors: LockLeaseLost for a smaller one.
[[nodiscard]] Result<Lock> pass(Lock fence, FencingToken token);

}  // namespace sundial
