#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "postgres_storage.hpp"
#include "support/postgres_cluster.hpp"

namespace sundial::postgres {
namespace {

/// The fence of the contract suites (contract_test.cpp).
class Fences : public testing::Test {
protected:
    Fences() {
        storage_.store().transact([](Transaction& tx) {
            return tx.events().add(an_event().in_shard(3)).has_value() &&
                   tx.events().add(an_event().in_shard(4)).has_value();
        });
    }
    /// As the engine.
    void run(const std::string& condition) {
        query(inside_fence(storage_.url()),
              "PREPARE change(smallint) AS UPDATE sundial.events SET obstacle = NULL WHERE " +
                  condition + "; EXECUTE change(3)");
    }

    PostgresStorage storage_{16, PostgresStorage::Fence::around_shards};
};

TEST_F(Fences, StopAStatementThatNamesOneShardAndTouchesTwo) {
    EXPECT_NO_THROW(run("shard = $1"));
    EXPECT_THROW(run("shard = $1 OR shard = 4"), std::runtime_error);
}

TEST_F(Fences, LeaveStatementsOfAllShardsAlone) { EXPECT_NO_THROW(run("shard >= $1")); }

}  // namespace
}  // namespace sundial::postgres
