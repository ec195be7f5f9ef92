#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/postgres/connection.hpp"
#include "application/locks/stored_locks.hpp"
#include "contract/lock_store_contract.hpp"
#include "postgres_storage.hpp"
#include "support/migrated_database.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

/// `sundial.try_lock` and `sundial.unlock`, for SQL clients.
namespace sundial::postgres {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SqlLocks : public testing::Test {
protected:
    using Rows = std::vector<std::vector<std::string>>;
    Rows sql(const std::string& text) { return query(storage.url(), text); }
    /// Returns lock token and fencing token, or no row.
    Rows try_lock(const std::string& arguments) {
        return sql("SELECT lock_token, fencing_token FROM sundial.try_lock(" + arguments + ")");
    }
    std::string unlock(const std::string& token) {
        return sql("SELECT sundial.unlock('job', '" + token + "')")[0][0];
    }
    auto acquire(char who) {
        return locks.acquire(
            {.name = "job", .holder = "client", .token_hash = hash_of(who), .ttl = 30s});
    }
    std::string refusal(const std::string& arguments) {
        try {
            try_lock(arguments);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "granted";
    }

    PostgresStorage storage{1};
    StoredLocks locks{storage.store()};
};

TEST_F(SqlLocks, IsTheSameLockAsThatOfTheApi) {
    const auto granted = try_lock("'job', 'report'");
    ASSERT_THAT(granted, SizeIs(1));
    EXPECT_THAT(granted[0][0], SizeIs(32));
    const auto refused = acquire('a');
    ASSERT_TRUE(is<LockHeld>(refused));
    const auto& held = refused.error();
    EXPECT_EQ(held.holder, "report");
    EXPECT_EQ(held.expires_at, noon + 30s);
    EXPECT_EQ(sql("SELECT token_hash = sha256('" + granted[0][0] + "') FROM sundial.locks"),
              Rows{{"t"}});
    EXPECT_EQ(unlock(granted[0][0]), "t");
    const auto next = acquire('a');
    ASSERT_TRUE(next);
    EXPECT_EQ(std::to_string(next->fencing_token.value - 1), granted[0][1]);
    EXPECT_THAT(try_lock("'job', 'report'"), IsEmpty());
}

TEST_F(SqlLocks, EndsWithItsLease) {
    const auto first = try_lock("'job', 'a', '10 seconds'");
    EXPECT_THAT(try_lock("'job', 'a'"), IsEmpty());
    ASSERT_TRUE(storage.clock().set(noon + 10s));
    EXPECT_EQ(unlock(first[0][0]), "f");
    const auto second = try_lock("'job', 'b'");
    ASSERT_THAT(second, SizeIs(1));
    EXPECT_GT(std::stoi(second[0][1]), std::stoi(first[0][1]));
    EXPECT_EQ(unlock(first[0][0]), "f");
    EXPECT_EQ(unlock(second[0][0]), "t");
    EXPECT_EQ(unlock(second[0][0]), "f");
}

TEST_F(SqlLocks, GoesWithItsTransaction) {
    sql("BEGIN; SELECT sundial.try_lock('job', 'a'); ROLLBACK");
    EXPECT_TRUE(acquire('a'));
}

TEST_F(SqlLocks, NeverWaits) {
    constexpr Statement begin{"begin", "BEGIN"},
        first{"first", "SELECT (sundial.try_lock('job', 'a', '1 second')).lock_token"},
        guard{"guard", "SELECT name FROM sundial.locks FOR KEY SHARE"},
        roll_back{"roll_back", "ROLLBACK"};
    RecordedLog log;
    const auto concurrent_with = [&](const Statement& work) {
        Connection other{storage.url(), log};
        const std::array calls{Call{begin}, Call{work}};
        EXPECT_THAT(other.run(calls, false, 30s).back().size(), 1U);
        const Rows refused = try_lock("'job', 'b'");
        // Not by closing it: the server notices that only later.
        (void)other.run(std::array{Call{roll_back}}, false, 30s);
        return refused;
    };
    EXPECT_THAT(concurrent_with(first), IsEmpty());  // never held before
    ASSERT_THAT(try_lock("'job', 'a', '1 second'"), SizeIs(1));
    ASSERT_TRUE(storage.clock().set(noon + 1s));
    EXPECT_THAT(concurrent_with(guard), IsEmpty());
}

/// On a real clock, because a test clock stands still within a statement.
TEST(SqlLocksOfALongStatement, CountTheirLeaseFromTheGrant) {
    const auto later_than_the_statement = query(migrated_database(), R"(
        SELECT expires_at - interval '1 hour' > statement_timestamp()
          FROM (SELECT pg_sleep(0.01) OFFSET 0) AS work
         CROSS JOIN LATERAL (
               SELECT * FROM sundial.try_lock('job', 'a', '1 hour') WHERE work IS NOT NULL) AS lock)");
    EXPECT_EQ(later_than_the_statement, (std::vector<std::vector<std::string>>{{"t"}}));
}

TEST_F(SqlLocks, RefusesWhatTheApiRefuses) {
    EXPECT_THAT(refusal("'sundial.maintenance', 'me'"), HasSubstr("VALIDATION_FAILED"));
    for (const char* wrong :
         {"'', 'me'", "' ', 'me'", "NULL, 'me'", "repeat('x', 129), 'me'", "E'a\\nb', 'me'",
          "'job', ''", "'job', NULL", "'job', repeat('x', 129)", "'job', 'me', '99 milliseconds'",
          "'job', 'me', '25 hours'", "'job', 'me', NULL"}) {
        EXPECT_THAT(refusal(wrong), HasSubstr("VALIDATION_FAILED")) << wrong;
    }
    EXPECT_EQ(sql("SELECT count(*) FROM sundial.locks"), Rows{{"0"}});
    EXPECT_THAT(try_lock("repeat('ä', 128), repeat('x', 128), '24 hours'"), SizeIs(1));
}

}  // namespace
}  // namespace sundial::postgres
