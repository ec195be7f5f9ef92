#pragma once

#include <chrono>
#include <string>

#include "application/ports/lock_repository.hpp"
#include "domain/lock.hpp"

namespace sundial {

class Transaction;

/// Where locks live. All times are the store's own. Thread-safe. Throws Unavailable; then the lock
/// may still have been granted, until its lease expires.
class LockStore {
public:
    virtual ~LockStore() = default;
    /// Never waits for a holder; may wait for a transaction that still guards the lock. A repeated
    /// request gets the same answer. Errors: LockHeld.
    virtual Result<LockGrant> acquire(const LockRequest& request) = 0;
    /// Errors: LockNotHeld, LockLeaseLost.
    virtual Result<LockGrant> renew(const std::string& name, const std::string& token_hash,
                                    std::chrono::microseconds ttl) = 0;
    /// Errors: LockNotHeld.
    virtual Result<void> release(const std::string& name, const std::string& token_hash) = 0;
    /// The locks that are held.
    virtual Page<Lock> list(const LockQuery& query) = 0;
    /// Call this in a transaction before it writes data that the lock protects. Until the
    /// transaction ends, no other transaction with a greater token writes. Errors: LockLeaseLost;
    /// then the transaction must be rolled back.
    virtual Result<void> guard(Transaction& tx, const std::string& name, FencingToken token) = 0;
};

}  // namespace sundial
