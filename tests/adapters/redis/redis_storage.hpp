#pragma once

#include <chrono>
#include <string>

#include "adapters/memory/store.hpp"
#include "adapters/redis/connection.hpp"
#include "adapters/redis/locks.hpp"
#include "contract/lock_store_contract.hpp"
#include "support/redis_server.hpp"

namespace sundial::redis {

/// Simulates the passage of time at a server by shortening all unexpired leases.
inline void let_time_pass(Server& server, std::chrono::microseconds by) {
    for (const Reply& key : server.run({"KEYS", "sundial:lock:*"}).parts) {
        const auto left = std::chrono::milliseconds{server.run({"PTTL", key.text}).number} - by;
        if (left <= std::chrono::milliseconds{0}) {
            server.run({"DEL", key.text});
        } else {
            const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
            server.run({"PEXPIRE", key.text, std::to_string(milliseconds)});
        }
    }
}

/// An empty lock storage; the whole program shares one server. The guarded data is in memory.
class RedisStorage final : public LockStorage {
public:
    RedisStorage() { admin_.run({"FLUSHALL"}); }
    LockStore& locks() override { return locks_; }
    void advance(std::chrono::microseconds by) override { let_time_pass(admin_, by); }

private:
    static RedisServer& server() {
        static RedisServer one;
        return one;
    }

    Server admin_{parse_url(server().url())};
    memory::ManualClock clock_{noon};
    memory::MemoryStore store_{clock_};
    RedisLocks locks_{parse_url(server().url()), store_};
};

}  // namespace sundial::redis
