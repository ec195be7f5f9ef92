// The functions for workers that claim by SQL.
#include <gmock/gmock.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "sql_functions_fixture.hpp"

namespace sundial::postgres {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(SqlFunctions, AWorkersReportsAreFenced) {
    add_workers();
    const std::string id = value("sundial.schedule_event('X', sundial.clock(), endpoint => 'w')");
    EXPECT_THAT(claim("'w', 'one', 5, '10 seconds'"), ElementsAre(ElementsAre(id, "2", "1")));
    EXPECT_THAT(claim("'w', 'two'"), IsEmpty());
    EXPECT_EQ(value("sundial.extend('" + id + "', 2, '20 seconds')"), "t");
    ASSERT_TRUE(storage.clock().set(noon + 20s));
    EXPECT_THAT(claim("'w', 'two'"), ElementsAre(ElementsAre(id, "3", "2")));
    EXPECT_EQ(sql("SELECT outcome, worker FROM sundial.attempts"), (SqlRows{{"LOST", "one"}}));
    EXPECT_EQ(value("sundial.extend('" + id + "', 2)"), "f");
    EXPECT_EQ(value("sundial.complete('" + id + "', 2)"), "f");
    EXPECT_EQ(sql("SELECT outcome, worker FROM sundial.attempts"), (SqlRows{{"LATE", "one"}}));
    EXPECT_EQ(value("sundial.release('" + id + "', 3)"), "t");
    EXPECT_EQ(value("sundial.release('" + id + "', 3)"), "t");
    // One has done the work, too late to say so: the next claim ends the event.
    EXPECT_THAT(claim("'w', 'three'"), IsEmpty());
    EXPECT_EQ(status_of(event(id)), EventStatus::completed);
}

TEST_F(SqlFunctions, FailFollowsTheRetryPolicy) {
    add_workers();
    const std::string id = value("sundial.schedule_event('X', sundial.clock(), endpoint => 'w')");
    Instant now = noon;
    for (int attempt = 1; attempt <= 4; ++attempt) {
        const auto claimed = claim();
        ASSERT_THAT(claimed, SizeIs(1)) << attempt;
        EXPECT_EQ(claimed[0][2], std::to_string(attempt));
        EXPECT_EQ(value("sundial.fail('" + id + "', " + claimed[0][1] + ", 'jam')"), "t");
        EXPECT_EQ(value("sundial.fail('" + id + "', " + claimed[0][1] + ", 'jam')"), "t");
        EXPECT_THAT(claim(), IsEmpty());
        now += 5s;
        ASSERT_TRUE(storage.clock().set(now));
    }
    const Event failed = event(id);
    ASSERT_EQ(status_of(failed), EventStatus::failed);
    EXPECT_EQ(std::get<Failed>(failed.state).reason, "WORKER jam");
    EXPECT_EQ(failed.retry_count, 4U);
    EXPECT_EQ(value("count(*) FROM sundial.attempts WHERE outcome = 'RETRYABLE'"), "4");
}

TEST_F(SqlFunctions, ClaimRespectsLimits) {
    add_workers();
    sql("UPDATE sundial.endpoints SET max_in_flight = 2, rate_per_second = 1, rate_burst = 3");
    for (int i = 0; i < 6; ++i)
        value("sundial.schedule_event('X', sundial.clock(), endpoint => 'w')");
    const auto first = claim();
    EXPECT_THAT(first, SizeIs(2));
    for (const auto& row : first) value("sundial.complete('" + row[0] + "', " + row[1] + ")");
    EXPECT_THAT(claim(), SizeIs(1));  // three tokens in all
    ASSERT_TRUE(storage.clock().set(noon + 1s));
    EXPECT_THAT(claim(), SizeIs(1));
    ASSERT_TRUE(storage.clock().set(noon + 9s));
    EXPECT_THAT(claim(), IsEmpty());  // two are in flight
    sql("UPDATE sundial.endpoints SET enabled = false");
    EXPECT_THAT(refusal("sundial.claim('w', 'one')"), HasSubstr("ENDPOINT_DISABLED"));
    EXPECT_THAT(refusal("sundial.claim('none', 'one')"), HasSubstr("ENDPOINT_NOT_FOUND"));
}

TEST_F(SqlFunctions, ConcurrentClaimsAreDisjoint) {
    add_workers();
    sql("SELECT sundial.schedule_event('X', sundial.clock(), endpoint => 'w') FROM "
        "generate_series(1, 200)");
    std::array<SqlRows, 8> claimed;
    std::vector<std::jthread> threads;
    for (auto& rows : claimed) {
        threads.emplace_back([&] { rows = claim("'w', 'racer', 25"); });
    }
    threads.clear();
    std::size_t all = 0;
    for (const auto& rows : claimed) all += rows.size();
    EXPECT_EQ(value("count(*) FROM sundial.events WHERE version = 2"), std::to_string(all));
    EXPECT_EQ(value("count(*) FROM sundial.events WHERE version > 2"), "0");
    EXPECT_GT(all, 0U);
}

TEST_F(SqlFunctions, AnOccurrenceIsJudgedAndItsSuccessorPlannedBeforeAClaim) {
    add_workers();
    value(
        "sundial.schedule_rule('tick', '{\"trigger\": {\"every\": \"PT1H\"}, \"endpointId\": "
        "\"w\", \"timezone\": \"UTC\", \"misfire\": \"skip\"}')");
    instance.intake.run();
    ASSERT_THAT(live(), SizeIs(1));
    const std::string first = to_string(live()[0].id);
    ASSERT_TRUE(storage.clock().set(live()[0].due));
    EXPECT_THAT(claim(), IsEmpty());
    EXPECT_THAT(claim(), IsEmpty());
    EXPECT_EQ(value("count(*) FROM sundial.intake WHERE kind = 'OCCURRENCE'"), "1");
    instance.intake.run();
    ASSERT_THAT(live(), SizeIs(2));
    const auto claimed = claim();
    ASSERT_THAT(claimed, SizeIs(1));
    EXPECT_EQ(claimed[0][0], first);
    EXPECT_EQ(value("sundial.complete('" + first + "', 2)"), "t");
    EXPECT_EQ(value("count(*) FROM sundial.intake"), "0");
    // The next one is too late for its policy: no worker gets it.
    const std::string second = to_string(live()[0].id);
    ASSERT_TRUE(storage.clock().set(live()[0].due + 150min));
    EXPECT_THAT(claim(), IsEmpty());
    instance.intake.run();
    EXPECT_THAT(claim(), IsEmpty());
    EXPECT_EQ(status_of(event(second)), EventStatus::cancelled);
    EXPECT_EQ(value("reason FROM sundial.skipped_runs"), "misfire_skip");
    ASSERT_THAT(live(), SizeIs(1));
}

TEST_F(SqlFunctions, CancellingAnOccurrencePlansItsSuccessorOnce) {
    value("sundial.schedule_cron('nightly', '0 3 * * *', '{}', 'Europe/Paris')");
    instance.intake.run();
    ASSERT_THAT(live(), SizeIs(1));
    const Event first = live()[0];
    EXPECT_EQ(value("sundial.cancel_event('" + to_string(first.id) + "')"), "t");
    EXPECT_THAT(live(), IsEmpty());
    instance.intake.run();
    instance.intake.run();
    ASSERT_THAT(live(), SizeIs(1));
    EXPECT_EQ(live()[0].due, first.due + 24h);
}

}  // namespace
}  // namespace sundial::postgres
