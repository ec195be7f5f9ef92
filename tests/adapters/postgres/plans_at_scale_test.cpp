// Executes the queue's statements on a million live rows: which indexes they use, and how many
// pages they touch. `plans_test.cpp` checks the same on small tables in every run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/postgres/open.hpp"
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
             idempotency_key, event_type, zone, gap, overlap, tz_release, payload, created_at,
             updated_at)
        SELECT i % 16, md5(i::text)::uuid, 'PENDING', 2, now() - (500000 - i) * interval '1 s', 1, 0, 0,
               now(), 'k' || i, 'T', 'UTC', 'compatible', 'compatible', '2025b', '{}', now(), now()
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

}  // namespace
}  // namespace sundial::postgres
