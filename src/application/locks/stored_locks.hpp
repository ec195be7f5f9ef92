#pragma once

#include <string>

#include "application/ports/lock_store.hpp"
#include "application/ports/store.hpp"
#include "domain/lock.hpp"

/// Fences of locks that another store holds. The database with the protected data keeps the
/// greatest token of each name that was ever granted or used. Other transactions on the same fence
/// wait until `tx` ends.

namespace sundial {

/// The greatest token so far; 0 if there was none.
[[nodiscard]] FencingToken greatest_seen(Store& store, const std::string& name);
/// Records a token that was just granted. Errors: LockLeaseLost if an equal or greater one is
/// known.
[[nodiscard]] Result<void, LockLeaseLost> raise_fence(Transaction& tx, const std::string& name,
                                                      FencingToken granted);
/// Checks the token of a holder that is about to write in `tx`. Errors: LockLeaseLost if a greater
/// one is known.
[[nodiscard]] Result<void, LockLeaseLost> pass_fence(Transaction& tx, const std::string& name,
                                                     FencingToken token);

/// Locks as rows of the database that also holds the protected data, which gives strict exclusion
/// for it.
class StoredLocks final : public LockStore {
public:
    explicit StoredLocks(Store& store) : store_{store} {}
    Result<LockGrant, LockHeld> acquire(const LockRequest& request) override;
    Result<LockGrant, LockNotHeld, LockLeaseLost> renew(const std::string& name,
                                                        const std::string& token_hash,
                                                        std::chrono::microseconds ttl) override;
    Result<void, LockNotHeld> release(const std::string& name,
                                      const std::string& token_hash) override;
    std::optional<Lock> find(const std::string& name) override;
    Page<Lock> list(const LockQuery& query) override;
    Result<void, LockLeaseLost> guard(Transaction& tx, const std::string& name,
                                      FencingToken token) override;

private:
    Store& store_;
};

}  // namespace sundial
