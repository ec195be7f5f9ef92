#pragma once

#include "application/ports/lock_store.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Locks as rows of the database that also holds the protected data, which gives strict exclusion
/// for it.
class StoredLocks final : public LockStore {
public:
    explicit StoredLocks(Store& store) : store_{store} {}
    Result<LockGrant> acquire(const LockRequest& request) override;
    Result<LockGrant> renew(const std::string& name, const std::string& token_hash,
                            std::chrono::microseconds ttl) override;
    Result<void> release(const std::string& name, const std::string& token_hash) override;
    Page<Lock> list(const LockQuery& query) override;
    Result<void> guard(Transaction& tx, const std::string& name, FencingToken token) override;

private:
    Store& store_;
};

}  // namespace sundial
