#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/connection.hpp"
#include "application/ports/lock_store.hpp"
#include "application/ports/store.hpp"

namespace sundial::redis {

class RedisLocks final : public LockStore {
public:
    RedisLocks(Address address, Store& store) : server_{std::move(address)}, store_{store} {}
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
    struct Granted {
        Lock lock;
        bool again;  // the same request was granted before
    };
    [[nodiscard]] Result<Granted, LockHeld> ask(const LockRequest& request, FencingToken floor);
    /// Records the token of a grant in the store, where the greatest token is kept. If that fails,
    /// releases the grant.
    [[nodiscard]] bool is_greatest(const Lock& lock, bool granted_before);
    void give_up(const Lock& lock);
    Reply run(std::string_view script, const std::string& name,
              const std::vector<std::string>& arguments);

    Server server_;
    Store& store_;
};

}  // namespace sundial::redis
