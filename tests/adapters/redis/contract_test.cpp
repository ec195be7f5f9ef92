#include <memory>

#include "redis_storage.hpp"

namespace sundial {

INSTANTIATE_TEST_SUITE_P(Redis, LockStoreContract,
                         testing::Values(LockStorageKind{
                             "redis", [] { return std::make_unique<redis::RedisStorage>(); }}));

}  // namespace sundial
