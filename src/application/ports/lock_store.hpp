#pragma once

#include <chrono>
#include <string>

#include "application/ports/lock_repository.hpp"
#include "domain/lock.hpp"

namespace sundial {

class Transaction;

/// Where locks live. All times are the store's own. Thread-safe. Throws Unavailable; then
/// it may have been granted all the same, until its time is over.
class LockStore {
public:
    virtual ~LockStore() = default;
    /// Never waits for a holder; may wait for a transaction that the last one guards. The same
    /// request again is answered as before. Errors: LockHeld.
    virtual Result<LockGrant> acquire(const LockRequest& request) = 0;
    /// Errors: LockNotHeld, LockLeaseLost.
    virtual Result<LockGrant> renew(const std::string& name, const std::string& token_hash,
                                    std::chrono::microseconds ttl) = 0;
    /// Errors: LockNotHeld.
    virtual Result<void> release(const std::string& name, const std::string& token_hash) = 0;
    /// Those that are held.
    virtual Page<Lock> list(const LockQuery& query) = 0;
    /// For a transaction on what the lock guards, before it writes: until it ends, nobody with a
    /// greater token writes in another. Errors: LockLeaseLost; then it must be rolled back.
    virtual Result<void> guard(Transaction& tx, const std::string& name, FencingToken token) = 0;
};

}  // namespace sundial
