#include "adapters/postgres/hash.hpp"

#include <gtest/gtest.h>

#include <string>

#include "postgres_storage.hpp"
#include "support/postgres_cluster.hpp"

namespace sundial::postgres {
namespace {

TEST(ShardOfAKey, IsTheOneThatSqlComputes) {
    const PostgresStorage storage{16};
    for (const std::string key : {"a", "event-0", "order_4711", "Z-9", "birthday-2027"}) {
        const auto shard = query(storage.url(), "SELECT sundial.shard_of_key('" + key + "', 256)");
        EXPECT_EQ(shard.at(0).at(0), std::to_string(last_byte_of_sha256(key))) << key;
    }
    const std::string longest(128, 'k');
    const auto shard = query(storage.url(), "SELECT sundial.shard_of_key('" + longest + "', 16)");
    EXPECT_EQ(shard.at(0).at(0), std::to_string(last_byte_of_sha256(longest) % 16));
}

}  // namespace
}  // namespace sundial::postgres
