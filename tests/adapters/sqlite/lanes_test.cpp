// The work of the queue's statements while 100,000 due events wait for a handler that no engine
// has.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapters/sqlite/open.hpp"
#include "adapters/sqlite/queue_sql.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
#include "files.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

constexpr std::int64_t after_all = 200'000;

class LanesTest : public testing::Test {
protected:
    LanesTest() {
        migrate({.file = folder_.file(), .real_time = [] { return noon; }}, log_);
        ask(folder_.file(), R"(
            WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i <= 100000)
            INSERT INTO events (id, status, priority, claimable_at, version, attempt, retry_count, due,
                                created_at, updated_at, idempotency_key, event_type, zone, gap, overlap,
                                tz_release, payload)
            SELECT randomblob(16), 'PENDING', 2, i, 1, 0, 0, i, 1, 1, 'k' || i,
                   iif(i > 100000, 'HANDLED', 'OTHER'), 'UTC', 'compatible', 'compatible', '', '{}'
              FROM numbers)");
        EXPECT_EQ(sqlite3_open(folder_.file().c_str(), &database_), SQLITE_OK);
    }
    ~LanesTest() override { sqlite3_close(database_); }

    struct Work {
        int rows = 0;
        int steps = 0;  // of SQLite's virtual machine
    };
    /// Binds texts to the places where `texts` has one, and numbers elsewhere.
    Work work_of(const Statement& statement, const std::vector<std::int64_t>& numbers,
                 const std::map<int, std::string>& texts = {}) {
        sqlite3_stmt* prepared = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(database_, statement.sql, -1, &prepared, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database_);
        int place = 0;
        for (const std::int64_t number : numbers) sqlite3_bind_int64(prepared, ++place, number);
        for (const auto& [at, text] : texts) {
            sqlite3_bind_text(prepared, at, text.c_str(), -1, SQLITE_TRANSIENT);
        }
        Work work;
        while (sqlite3_step(prepared) == SQLITE_ROW) ++work.rows;
        work.steps = sqlite3_stmt_status(prepared, SQLITE_STMTSTATUS_VM_STEP, 0);
        sqlite3_finalize(prepared);
        return work;
    }

private:
    RecordedLog log_;
    TemporaryFolder folder_;
    sqlite3* database_ = nullptr;
};

TEST_F(LanesTest, AClaimPassesNoEventsOfOtherTypes) {
    const Work handled = work_of(sql::ready_to_handle, {2, after_all, 9}, {{4, "HANDLED"}});
    EXPECT_EQ(handled.rows, 1);
    EXPECT_LT(handled.steps, 300);
    EXPECT_LT(work_of(sql::ready, {2, after_all, 9}).steps, 300);
}

TEST_F(LanesTest, APeekPassesNoEventsOfOtherTypes) {
    EXPECT_LT(work_of(sql::peek_to_handle, {}, {{1, "HANDLED"}}).steps, 300);
    EXPECT_LT(work_of(sql::peek, {}).steps, 300);
}

TEST_F(LanesTest, AStartReadsNoEventsThatAreNotClaimed) {
    EXPECT_LT(work_of(sql::end_leases_of_handlers, {after_all, 2, after_all + 1}).steps, 1'000);
    EXPECT_LT(work_of(sql::parked_of_none, {after_all + 1, 500}).steps, 1'000);
}

}  // namespace
}  // namespace sundial::sqlite
