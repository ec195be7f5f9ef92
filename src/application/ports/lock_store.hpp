#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/lock.hpp"

namespace sundial {

/// Held locks, in byte order of their names.
struct LockQuery {
    std::optional<std::string> prefix{};  // of the name
    std::optional<std::string> after{};   // the last name of the previous page
    std::size_t limit = 50;
};

/// The rows of locks, inside one transaction. `domain/lock.hpp` decides how they may change.
class LockRepository {
public:
    virtual ~LockRepository() = default;
    /// The database's clock at this moment. The time of the transaction is too old after a wait.
    virtual Instant now() = 0;
    virtual std::optional<Lock> find(const std::string& name) = 0;
    /// For a grant: the row, created if there is none. Empty while another transaction guards or
    /// grants the lock, so that no connection is held while waiting.
    virtual std::optional<Lock> lock_to_grant(const std::string& name) = 0;
    /// For a fence: the row, created if there is none. Waits for other transactions to end.
    virtual Lock lock(const std::string& name) = 0;
    /// For changes by the holder. Does not wait for transactions that guard the lock.
    virtual std::optional<Lock> lock_to_renew(const std::string& name) = 0;
    /// The lock is not granted until this transaction ends; its holder can renew it.
    virtual std::optional<Lock> guard(const std::string& name) = 0;
    /// Replaces a locked row.
    virtual void update(const Lock& lock) = 0;
    /// The locks that are held at `now`.
    virtual Page<Lock> list(const LockQuery& query, Instant now) = 0;
};

class Transaction;

/// Where locks live. All times are the store's own. Thread-safe. Throws Unavailable; then the lock
/// may still have been granted, until its lease expires.
class LockStore {
public:
    virtual ~LockStore() = default;
    /// Never waits for a holder; may wait for a transaction that still guards the lock. A repeated
    /// request gets the same answer. Errors: LockHeld.
    virtual Result<LockGrant, LockHeld> acquire(const LockRequest& request) = 0;
    /// Errors: LockNotHeld, LockLeaseLost.
    virtual Result<LockGrant, LockNotHeld, LockLeaseLost> renew(const std::string& name,
                                                                const std::string& token_hash,
                                                                std::chrono::microseconds ttl) = 0;
    /// Errors: LockNotHeld.
    virtual Result<void, LockNotHeld> release(const std::string& name,
                                              const std::string& token_hash) = 0;
    /// Empty if no holder has it.
    virtual std::optional<Lock> find(const std::string& name) = 0;
    /// The locks that are held.
    virtual Page<Lock> list(const LockQuery& query) = 0;
    /// Call this in a transaction before it writes data that the lock protects. Until the
    /// transaction ends, no other transaction with a greater token writes. Errors: LockLeaseLost;
    /// then the transaction must be rolled back.
    virtual Result<void, LockLeaseLost> guard(Transaction& tx, const std::string& name,
                                              FencingToken token) = 0;
};

}  // namespace sundial
