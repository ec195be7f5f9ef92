#include "adapters/redis/open.hpp"

#include "adapters/redis/locks.hpp"

namespace sundial::redis {

std::unique_ptr<LockStore> open_locks(const std::string& url, Store& store) {
    return std::make_unique<RedisLocks>(parse_url(url), store);
}

void check_url(const std::string& url) { (void)parse_url(url); }

}  // namespace sundial::redis
