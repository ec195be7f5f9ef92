// The plans of statements on tables that may be large. Each test also takes the index away, as
// proof that it would notice another plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "adapters/sqlite/event_list_sql.hpp"
#include "adapters/sqlite/open.hpp"
#include "adapters/sqlite/queue_sql.hpp"
#include "adapters/sqlite/stream_sql.hpp"
#include "adapters/sqlite/user_sql.hpp"
#include "files.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Plans : public testing::Test {
protected:
    Plans() {
        migrate({.file = folder_.file(), .real_time = [] { return noon; }}, log_);
        EXPECT_EQ(sqlite3_open(folder_.file().c_str(), &database_), SQLITE_OK);
    }
    ~Plans() override { sqlite3_close(database_); }

    /// One line for each step, or SQLite's error.
    std::string plan_of(const Statement& statement) {
        sqlite3_stmt* prepared = nullptr;
        const std::string explain = std::string{"EXPLAIN QUERY PLAN "} + statement.sql;
        if (sqlite3_prepare_v2(database_, explain.c_str(), -1, &prepared, nullptr) != SQLITE_OK) {
            return sqlite3_errmsg(database_);
        }
        std::string plan;
        while (sqlite3_step(prepared) == SQLITE_ROW) {
            plan += reinterpret_cast<const char*>(sqlite3_column_text(prepared, 3));
            plan += '\n';
        }
        sqlite3_finalize(prepared);
        return plan;
    }
    /// Rows that scans of whole tables read. Parameters without a number are null.
    int scanned_rows(const Statement& statement, const std::map<int, std::int64_t>& numbers) {
        sqlite3_stmt* prepared = nullptr;
        EXPECT_EQ(sqlite3_prepare_v2(database_, statement.sql, -1, &prepared, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database_);
        for (const auto& [at, number] : numbers) sqlite3_bind_int64(prepared, at, number);
        while (sqlite3_step(prepared) == SQLITE_ROW) {
        }
        const int rows = sqlite3_stmt_status(prepared, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
        sqlite3_finalize(prepared);
        return rows;
    }
    void change(const std::string& sql) {
        EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database_);
    }

    /// Reads `table` in the order of `index`, from one bound to the other.
    static auto searches(const std::string& table, const std::string& index,
                         const std::string& bounds) {
        return AllOf(HasSubstr("SEARCH " + table + " USING "), HasSubstr(index + " (" + bounds),
                     Not(HasSubstr("SCAN " + table)), Not(HasSubstr("TEMP B-TREE")));
    }

private:
    TemporaryFolder folder_;
    RecordedLog log_;
    sqlite3* database_ = nullptr;
};

TEST_F(Plans, StreamsAreReadBetweenTheBoundsOfAPart) {
    const auto good = searches("streams", "PRIMARY KEY",
                               "(aggregate_type,aggregate_id)>(?,?) AND "
                               "(aggregate_type,aggregate_id)<(?,?))");
    EXPECT_THAT(plan_of(sql::list_streams), good);
    EXPECT_THAT(plan_of(sql::passed_stream), good);
    // The table is its own index.
    change(
        "CREATE TABLE heap AS SELECT * FROM streams; DROP TABLE streams;"
        "ALTER TABLE heap RENAME TO streams");
    for (const auto& statement : {sql::list_streams, sql::passed_stream}) {
        EXPECT_THAT(plan_of(statement), AllOf(HasSubstr("SCAN streams"), HasSubstr("TEMP B-TREE")));
    }
}

TEST_F(Plans, UsersAreReadBetweenTheBoundsOfTheirOrder) {
    struct Order {
        std::string index, column;
        std::vector<Statement> statements;
    };
    const std::vector<Order> orders{
        {"users_by_creation",
         "created_at",
         {sql::users_by_creation, sql::users_by_creation_down, sql::passed_users_by_creation,
          sql::passed_users_by_creation_down}},
        {"users_by_update",
         "updated_at",
         {sql::users_by_update, sql::users_by_update_down, sql::passed_users_by_update,
          sql::passed_users_by_update_down}},
        {"users_by_name",
         "last_name",
         {sql::users_by_name, sql::users_by_name_down, sql::passed_users_by_name,
          sql::passed_users_by_name_down}}};
    for (const Order& order : orders) {
        const std::string both =
            "(" + order.column + ",id)>(?,?) AND (" + order.column + ",id)<(?,?))";
        for (const Statement& statement : order.statements)
            EXPECT_THAT(plan_of(statement), searches("users", order.index, both));
        change("DROP INDEX " + order.index);
        for (const Statement& statement : order.statements) {
            EXPECT_THAT(plan_of(statement),
                        AllOf(HasSubstr("SCAN users"), HasSubstr("TEMP B-TREE")));
        }
    }
}

TEST_F(Plans, EventsOfATimeAreFoundByTheirEnd) {
    const std::vector<Statement> lists{sql::events_by_execution, sql::events_by_execution_down,
                                       sql::events_by_lateness, sql::events_by_lateness_down};
    const auto by_end = AllOf(HasSubstr("SEARCH event_history USING "),
                              HasSubstr("INDEX event_history_finished (finished_at>? AND "
                                        "finished_at<?)"),
                              Not(HasSubstr("SCAN event_history")));
    for (const Statement& statement : lists) EXPECT_THAT(plan_of(statement), by_end);
    for (const auto& count : {sql::count_ended, sql::count_executed})
        EXPECT_THAT(plan_of(count), by_end);
    change("DROP INDEX event_history_finished");
    const auto error = HasSubstr("no such index: event_history_finished");
    for (const Statement& statement : lists) EXPECT_THAT(plan_of(statement), error);
    for (const auto& count : {sql::count_ended, sql::count_executed})
        EXPECT_THAT(plan_of(count), error);
}

TEST_F(Plans, PlannedEventsAreReadByTheirTarget) {
    EXPECT_THAT(plan_of(sql::planned),
                searches("events", "events_pending_by_due", "due>? AND due<?)"));
    change("DROP INDEX events_pending_by_due");
    EXPECT_THAT(plan_of(sql::planned), HasSubstr("no such index: events_pending_by_due"));
}

/// The plan of such a list names a scan of the live events. A condition without columns skips it.
TEST_F(Plans, EventsOfATimeAreFoundWithoutTheLiveOnes) {
    change(R"(
        WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 20)
        INSERT INTO events (id, status, priority, claimable_at, version, attempt, retry_count, due,
                            created_at, updated_at, idempotency_key, event_type, zone, gap, overlap,
                            tz_release, payload)
        SELECT randomblob(16), 'PENDING', 2, i, 1, 0, 0, i, 1, 1, 'k' || i, 'T', 'UTC',
               'compatible', 'compatible', '', '{}'
          FROM numbers)");
    constexpr int executed_from = 10, executed_to = 11, limit = 20;
    for (const auto& statement : {sql::events_by_execution, sql::events_by_execution_down,
                                  sql::events_by_lateness, sql::events_by_lateness_down}) {
        EXPECT_EQ(scanned_rows(statement, {{executed_from, 1}, {limit, 50}}), 0);
        EXPECT_EQ(scanned_rows(statement, {{executed_to, 1}, {limit, 50}}), 0);
        EXPECT_GE(scanned_rows(statement, {{limit, 50}}), 19);
    }
}

TEST_F(Plans, AClaimReadsTheHeadOfAnIndex) {
    struct Claim {
        Statement statement;
        std::string index, bounds;
    };
    const std::vector<Claim> claims{
        {sql::ready, "events_to_claim", "shard=? AND priority=? AND claimable_at<?)"},
        {sql::ready_to_handle, "events_to_handle",
         "event_type=? AND priority=? AND claimable_at<?)"},
        {sql::ready_in_line, "events_in_line", "endpoint_id=? AND priority=? AND claimable_at<?)"},
        {sql::ready_to_pull, "events_to_pull", "endpoint_id=? AND priority=? AND claimable_at<?)"},
        {sql::peek_to_pull, "events_to_pull", "endpoint_id=? AND priority=? AND claimable_at<?)"},
        {sql::peek_to_handle, "events_to_handle", "event_type=? AND priority=?)"},
        {sql::peek_at_lines, "events_in_line", "endpoint_id=? AND priority=?)"},
        {sql::peek, "events_to_claim", "shard=? AND priority=?)"}};
    for (const Claim& claim : claims) {
        EXPECT_THAT(plan_of(claim.statement), searches("events", claim.index, claim.bounds));
    }
    for (const char* index :
         {"events_to_claim", "events_to_handle", "events_in_line", "events_to_pull"}) {
        change("DROP INDEX " + std::string{index});
    }
    for (const Claim& claim : claims) {
        EXPECT_THAT(plan_of(claim.statement), Not(HasSubstr(claim.index + " (")));
    }
}

TEST_F(Plans, AnExtensionFindsItsEventByItsKey) {
    const auto by_key = searches("events", "sqlite_autoindex_events_1", "id=?)");
    EXPECT_THAT(plan_of(sql::extend), by_key);
    EXPECT_THAT(plan_of(sql::join_line), by_key);
}

}  // namespace
}  // namespace sundial::sqlite
