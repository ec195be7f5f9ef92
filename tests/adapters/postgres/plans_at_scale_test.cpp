// Executes the queue's statements on a million live rows: which indexes they use, and how many
// pages they touch. `plans_test.cpp` checks the same on small tables in every run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/postgres/claim_sql.hpp"
#include "adapters/postgres/event_list_sql.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/postgres/queue_sql.hpp"
#include "carried_out.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

constexpr int claimed_at_once = 100;
/// Maximum pages for a batch. A claim or a settlement writes a handful of indexes, three pages
/// deep, and the table or the history: some thirty pages per row. The table alone has forty
/// thousand.
constexpr int pages_of_a_batch = claimed_at_once * 60;

/// A million events: half are due, half lie in the future.
std::string database_of_a_million() {
    RecordedLog log;
    const std::string url = PostgresCluster::shared().create_database();
    migrate({.url = url}, log);
    query(url, R"(
        INSERT INTO sundial.events
            (shard, id, status, priority, claimable_at, version, attempt, retry_count, due,
             idempotency_key, event_type, endpoint_id, zone, gap, overlap, tz_release, payload, created_at,
             updated_at)
        SELECT i % 16, md5(i::text)::uuid, 'PENDING', 2, now() - (500000 - i) * interval '1 s', 1, 0, 0,
               now(), 'k' || i, 'T', '01990000-0000-7000-8000-0000000000e1', 'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now()
          FROM generate_series(1, 1000000) AS i)");
    return url;
}

class PlansAtScale : public testing::Test {
protected:
    PlansAtScale() {
        static const std::string made = database_of_a_million();
        url_ = made;
    }
    std::string claim_a_batch() { return postgres::claim_a_batch(url_, claimed_at_once); }
    std::string settle_the_batch() { return postgres::settle_the_batch(url_); }
    void analyse() { query(url_, "ANALYZE sundial.events"); }
    [[nodiscard]] const std::string& url() const { return url_; }

private:
    std::string url_;
};

void expect_few_pages(const std::string& claimed, const std::string& settled) {
    EXPECT_THAT(claimed, AllOf(HasSubstr("Index Scan using events_to_claim on events"),
                               HasSubstr("Index Scan using events_pkey on events event"),
                               HasSubstr("rows=" + std::to_string(claimed_at_once)),
                               Not(HasSubstr("Seq Scan"))));
    EXPECT_THAT(pages_touched(claimed), AllOf(testing::Gt(0), Le(pages_of_a_batch))) << claimed;
    // A join filter means a nested loop that compares the batch with itself.
    EXPECT_THAT(settled,
                AllOf(HasSubstr("Index Scan using events_pkey"), Not(HasSubstr("Join Filter")),
                      Not(HasSubstr("Seq Scan on events"))));
    EXPECT_THAT(pages_touched(settled), AllOf(testing::Gt(0), Le(pages_of_a_batch))) << settled;
}

TEST_F(PlansAtScale, ABatchTouchesFewPagesWithoutTableStatistics) {
    const std::string claimed = claim_a_batch();
    expect_few_pages(claimed, settle_the_batch());
}

TEST_F(PlansAtScale, ABatchTouchesFewPagesOnceTheTableIsAnalysed) {
    analyse();
    const std::string claimed = claim_a_batch();
    expect_few_pages(claimed, settle_the_batch());
}

/// All events are due at one instant, so only the bound of the count ends it.
TEST_F(PlansAtScale, ACountOfPlannedEventsReadsNoMoreThanItsBound) {
    constexpr int most = 5'000;
    const std::string bounds = "now() - interval '1 day', now() + interval '1 day', 5000";
    const auto expect_few = [&](const Statement& statement, const std::string& types,
                                const std::string& values, const std::string& rows) {
        const std::string plan =
            carried_out_after(sql::walk_indexes.sql, url(), statement,
                              "timestamptz, timestamptz, bigint" + types, bounds + values);
        EXPECT_THAT(plan, AllOf(HasSubstr("Index Scan using events_untried_by_due on events"),
                                HasSubstr("rows=" + rows), Not(HasSubstr("Seq Scan"))));
        // A page for each row, and those of the index: fifty rows each.
        EXPECT_THAT(pages_touched(plan), AllOf(testing::Gt(0), Le(most + most / 10))) << plan;
    };
    for (const bool analysed : {false, true}) {
        if (analysed) analyse();
        expect_few(sql::planned, ", timestamptz, interval, boolean, boolean",
                   ", now() - interval '1 day', '1 h', true, false", "5000");
        expect_few(sql::more_planned, "", "", "5001");
    }
}

/// 100,000 due events that no engine has a handler for, and one that came due after them.
TEST(PlansOfHandlers, PassNoEventsOfOtherTypes) {
    RecordedLog log;
    const std::string url = PostgresCluster::shared().create_database();
    migrate({.url = url}, log);
    query(url, R"(
        INSERT INTO sundial.events
            (shard, id, status, priority, claimable_at, version, attempt, retry_count, due,
             idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at,
             updated_at)
        SELECT 3, md5(i::text)::uuid, 'PENDING', 2, now() - (100001 - i) * interval '1 ms', 1, 0, 0,
               now(), 'k' || i, CASE WHEN i > 100000 THEN 'HANDLED' ELSE 'OTHER' END, 'UTC',
               'compatible', 'compatible', '2025b', '{}', now(), now()
          FROM generate_series(1, 100001) AS i)");
    const auto expect_few = [&](const Statement& statement, const std::string& types,
                                const std::string& values) {
        const std::string plan = carried_out(url, statement, types, values, Setup::queue);
        EXPECT_THAT(plan, AllOf(HasSubstr("events_to_handle"), Not(HasSubstr("Seq Scan"))));
        EXPECT_THAT(pages_touched(plan), AllOf(testing::Gt(0), Le(100))) << plan;
    };
    for (const char* before : {"SELECT 1", "ANALYZE sundial.events"}) {
        query(url, before);
        expect_few(sql::peek_to_handle,
                   "smallint[], timestamptz[], timestamptz[], text[], uuid[], "
                   "timestamptz",
                   "array_fill(3::smallint, ARRAY[4]), array_fill('-infinity'::timestamptz, "
                   "ARRAY[4]), array_fill('infinity'::timestamptz, ARRAY[4]), "
                   "array_fill('HANDLED'::text, ARRAY[4]), '{}', now()");
        expect_few(
            sql::claim_to_handle,
            "smallint, smallint[], integer[], uuid, interval, bigint, timestamptz[], text, uuid[], "
            "timestamptz",
            "3, '{0,1,2,3}', '{9,9,9,9}', '01990000-0000-7000-8000-00000000000a', '60 s', 0, "
            "array_fill('-infinity'::timestamptz, ARRAY[4]), 'HANDLED', '{}', now()");
        // Endpoints have an index of their own.
        EXPECT_LE(pages_touched(claim_a_batch(url, 100)), 100);
    }
}

}  // namespace
}  // namespace sundial::postgres
