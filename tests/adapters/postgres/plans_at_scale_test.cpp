// The queue's statements at a million live rows, executed: which indexes they use, and how many
// pages they touch. `plans_test.cpp` asks the same of small tables in every check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "adapters/postgres/open.hpp"
#include "adapters/postgres/statements.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Le;
using testing::Not;

constexpr int claimed_at_once = 100;
/// A claim or a settlement enters each of a handful of indexes, three pages deep, and the table or
/// the history: some thirty pages a row. The table alone has forty thousand.
constexpr int pages_of_a_batch = claimed_at_once * 60;

constexpr const char* claimant = "01990000-0000-7000-8000-00000000000a";

/// Half of a million is due, the rest lies ahead.
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
    /// The plan as it was carried out, as the queue runs it.
    std::string carried_out(const Statement& statement, const std::string& types,
                            const std::string& values) {
        const auto rows = query(
            url_, std::string{"PREPARE configure(text, text, text, bigint, bigint, bigint) AS "} +
                      sql::configure_queue.sql +
                      "; EXECUTE configure('60000', '1000', '10000', 0, 0, 0); PREPARE it(" +
                      types + ") AS " + statement.sql + "; EXPLAIN (ANALYZE, BUFFERS) EXECUTE it(" +
                      values + ")");
        std::string plan;
        for (const auto& row : rows) plan += row[0] + '\n';
        return plan;
    }
    std::string claim_a_batch() {
        return carried_out(sql::claim_ready,
                           "smallint, smallint[], integer[], uuid, interval, bigint",
                           "3, '{0,1,2,3}', '{0,0," + std::to_string(claimed_at_once) + ",0}', '" +
                               claimant + "', '60 s', 0");
    }
    /// Settles all that is claimed as done.
    std::string settle_the_batch() {
        const auto held =
            query(url_, std::string{"SELECT array_agg(id), array_agg(version), "
                                    "array_agg(attempt), count(*) FROM sundial.events "
                                    "WHERE claimed_by = '"} +
                            claimant + "' AND shard = 3")
                .front();
        const auto each = [&held](const std::string& what) {
            return "array_fill(" + what + ", ARRAY[" + held[3] + "])";
        };
        const std::string values =
            "3, '" + held[0] + "', '" + held[1] + "', '" + held[2] + "', " +
            each(std::string{"'"} + claimant + "'::uuid") + ", " + each("'COMPLETED'::text") +
            ", " + each("NULL::interval") + ", " + each("NULL::text") + ", " + each("now()") +
            ", " + each("interval '1 ms'") + ", " + each("NULL::integer") + ", " +
            each("NULL::text") + ", " + each("NULL::uuid") + ", " + each("NULL::text") + ", " +
            each("NULL::text") + ", " + each("NULL::bytea") + ", " + each("NULL::text");
        return carried_out(sql::settle,
                           "smallint, uuid[], bigint[], integer[], uuid[], text[], interval[], "
                           "text[], timestamptz[], interval[], integer[], text[], uuid[], text[], "
                           "text[], bytea[], text[]",
                           values);
    }
    void analyse() { query(url_, "ANALYZE sundial.events"); }

private:
    std::string url_;
};

/// Of the whole statement: its first line about buffers.
int pages_touched(const std::string& plan) {
    std::smatch buffers;
    if (!std::regex_search(plan, buffers, std::regex{"Buffers: shared([^\n]*)"})) return -1;
    const std::string counts = buffers[1];
    int pages = 0;
    const std::regex count{"(hit|read)=([0-9]+)"};
    for (std::sregex_iterator each{counts.begin(), counts.end(), count}, end; each != end; ++each)
        pages += std::stoi((*each)[2]);
    return pages;
}

void expect_few_pages(const std::string& claimed, const std::string& settled) {
    EXPECT_THAT(claimed, AllOf(HasSubstr("Index Scan using events_to_claim on events"),
                               HasSubstr("Index Scan using events_pkey on events event"),
                               HasSubstr("rows=" + std::to_string(claimed_at_once)),
                               Not(HasSubstr("Seq Scan"))));
    EXPECT_THAT(pages_touched(claimed), AllOf(testing::Gt(0), Le(pages_of_a_batch))) << claimed;
    EXPECT_THAT(settled, AllOf(HasSubstr("Index Scan using events_pkey"),
                               Not(HasSubstr("Seq Scan on events"))));
    EXPECT_THAT(pages_touched(settled), AllOf(testing::Gt(0), Le(pages_of_a_batch))) << settled;
}

TEST_F(PlansAtScale, ABatchTouchesFewPagesThoughNobodyHasAnalysedTheTable) {
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
