#include "application/locks/stored_locks.hpp"

#include <algorithm>
#include <optional>

namespace sundial {
namespace {

Result<void, LockLeaseLost> keep(Transaction& tx, const Result<Lock, LockLeaseLost>& fence) {
    if (!fence) return fence.error();
    tx.locks().update(*fence);
    return {};
}

}  // namespace

FencingToken greatest_seen(Store& store, const std::string& name) {
    const auto fence = in_read(store, [&](Transaction& tx) { return tx.locks().find(name); });
    return fence ? fence->fencing_token : FencingToken{0};
}

Result<void, LockLeaseLost> raise_fence(Transaction& tx, const std::string& name,
                                        FencingToken granted) {
    return keep(tx, raise(tx.locks().lock(name), granted));
}

Result<void, LockLeaseLost> pass_fence(Transaction& tx, const std::string& name,
                                       FencingToken token) {
    return keep(tx, pass(tx.locks().lock(name), token));
}

namespace {

/// The holder's lease has expired while it still writes under the lock; or the next holder is not
/// known yet.
LockHeld busy(const std::string& name, const std::optional<Lock>& seen, Instant now) {
    if (!seen || seen->token_hash.empty()) return {name, "a transaction that has not ended", now};
    return {name, seen->holder, std::max(seen->expires_at, now)};
}

}  // namespace

Result<LockGrant, LockHeld> StoredLocks::acquire(const LockRequest& request) {
    return in_transaction(store_, [&](Transaction& tx) -> Result<LockGrant, LockHeld> {
        LockRepository& locks = tx.locks();
        // Reports a held lock at once, even if its holder's transaction guards it.
        const auto seen = locks.find(request.name);
        if (seen && is_held(*seen, tx.now()) && seen->token_hash != request.token_hash) {
            return held(*seen);
        }
        const auto row = locks.lock_to_grant(request.name);
        if (!row) return busy(request.name, seen, tx.now());
        const auto granted = grant(*row, request, tx.now());
        if (!granted) return granted.error();
        locks.update(*granted);
        return grant_of(*granted);
    });
}

Result<LockGrant, LockNotHeld, LockLeaseLost> StoredLocks::renew(const std::string& name,
                                                                 const std::string& token_hash,
                                                                 std::chrono::microseconds ttl) {
    return in_transaction(
        store_, [&](Transaction& tx) -> Result<LockGrant, LockNotHeld, LockLeaseLost> {
            const auto row = tx.locks().lock_to_renew(name);
            if (!row) return LockNotHeld{name};
            const auto renewed = sundial::renew(*row, token_hash, ttl, tx.locks().now());
            if (!renewed) return renewed.error();
            tx.locks().update(*renewed);
            return grant_of(*renewed);
        });
}

Result<void, LockNotHeld> StoredLocks::release(const std::string& name,
                                               const std::string& token_hash) {
    return in_transaction(store_, [&](Transaction& tx) -> Result<void, LockNotHeld> {
        const auto row = tx.locks().lock_to_renew(name);
        if (!row) return LockNotHeld{name};
        const auto released = sundial::release(*row, token_hash, tx.locks().now());
        if (!released) return released.error();
        tx.locks().update(*released);
        return {};
    });
}

std::optional<Lock> StoredLocks::find(const std::string& name) {
    return in_read(store_, [&](Transaction& tx) {
        auto lock = tx.locks().find(name);
        if (lock && !is_held(*lock, tx.now())) lock.reset();
        return lock;
    });
}

Page<Lock> StoredLocks::list(const LockQuery& query) {
    return in_read(store_, [&](Transaction& tx) { return tx.locks().list(query, tx.now()); });
}

Result<void, LockLeaseLost> StoredLocks::guard(Transaction& tx, const std::string& name,
                                               FencingToken token) {
    const auto row = tx.locks().guard(name);
    if (!row) return LockLeaseLost{name, token};
    return admit(*row, token, tx.locks().now());
}

}  // namespace sundial
