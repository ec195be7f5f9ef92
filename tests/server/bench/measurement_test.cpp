#include "server/bench/measurement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sundial::bench {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::vector<microseconds> from_one_to(int count) {
    std::vector<microseconds> durations;
    for (int i = count; i >= 1; --i) durations.emplace_back(i * 1ms);
    return durations;
}

TEST(SpreadOf, HasMedianTailAndMaximum) {
    const auto spread = spread_of(from_one_to(1000));
    ASSERT_TRUE(spread);
    EXPECT_DOUBLE_EQ(spread->p50_ms, 501);
    EXPECT_DOUBLE_EQ(spread->p99_ms, 991);
    EXPECT_DOUBLE_EQ(spread->p999_ms, 1000);
    EXPECT_DOUBLE_EQ(spread->max_ms, 1000);
}

TEST(SpreadOf, OfOneValueIsThatValue) {
    const auto spread = spread_of({7ms});
    ASSERT_TRUE(spread);
    EXPECT_DOUBLE_EQ(spread->p50_ms, 7);
    EXPECT_DOUBLE_EQ(spread->p99_ms, 7);
    EXPECT_DOUBLE_EQ(spread->p999_ms, 7);
    EXPECT_DOUBLE_EQ(spread->max_ms, 7);
}

TEST(SpreadOf, OfNoValuesIsEmpty) { EXPECT_FALSE(spread_of({})); }

TEST(Median, DoesNotDependOnTheOrder) {
    EXPECT_DOUBLE_EQ(median({3}), 3);
    EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
    EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
}

Measured a_run(std::size_t events, microseconds took) {
    Measured run;
    run.events = events;
    run.took = took;
    run.used = {.process = 2s, .database = 1s, .written = events * 500};
    return run;
}

TEST(Summary, HasExactlyTheDocumentedMembers) {
    const std::vector runs{a_run(1000, 1s), a_run(1000, 4s), a_run(1000, 2s)};
    EXPECT_EQ(summary_json("drain", runs),
              R"({"work":"drain","events":1000,"eventsPerSecond":500,"cpuSeconds":3,)"
              R"("walBytesPerEvent":500,"valid":true})");
}

TEST(Summary, HasTheLargestMaximumOfAllRuns) {
    std::vector runs{a_run(10, 1s), a_run(10, 1s), a_run(10, 1s)};
    runs[0].latency = Spread{1, 2, 3, 30};
    runs[1].latency = Spread{2, 4, 5, 5};
    runs[2].latency = Spread{3, 3, 4, 9};
    EXPECT_THAT(summary_json("peak", runs),
                HasSubstr(R"("p50Ms":2,"p99Ms":3,"p999Ms":4,"maxMs":30,)"));
}

TEST(Run, ListsItsWindows) {
    Measured run = a_run(10, 2s);
    EXPECT_THAT(run_json(run, 1), Not(HasSubstr("windows")));
    const std::chrono::sys_time<microseconds> from{1'800'000'000'500'250us};
    run.windows = {{from, {Spread{1, 2, 3, 4}, Spread{5, 6, 7, 8}}}, {from + 60s, {}}};
    EXPECT_THAT(run_json(run, 1),
                HasSubstr(R"("windows":[{"fromUnixMs":1800000000500,"p50Ms":1,"p99Ms":2,)"
                          R"("p999Ms":3,"maxMs":4,"claimP99Ms":6},{"fromUnixMs":1800000060500}])"));
    EXPECT_THAT(run_text(run, 1), HasSubstr("\n  from 0 s: p50 1 ms, p99 2 ms, p99.9 3 ms"));
}

TEST(Summary, IsInvalidIfOneRunIsInvalid) {
    std::vector runs{a_run(10, 1s), a_run(10, 1s)};
    runs.back().faults.emplace_back("1 events were delivered more than once");
    EXPECT_THAT(summary_json("drain", runs), HasSubstr(R"("valid":false)"));
    EXPECT_THAT(run_json(runs.back(), 2), HasSubstr("more than once"));
    EXPECT_THAT(run_text(runs.back(), 2), HasSubstr("NOT VALID: 1 events"));
}

TEST(Summary, CountsOnlyTheProcessIfTheDatabaseIsRemote) {
    std::vector runs{a_run(10, 1s)};
    runs.front().used.database.reset();
    EXPECT_THAT(summary_json("drain", runs), HasSubstr(R"("cpuSeconds":2,)"));
    EXPECT_THAT(run_json(runs.front(), 1), HasSubstr(R"("databaseCpuSeconds":null)"));
    EXPECT_THAT(summary_text("drain", runs), Not(HasSubstr("of the database")));
}

TEST(Summary, IsReadableForPeople) {
    const std::vector runs{a_run(100'000, 4s), a_run(100'000, 5s), a_run(100'000, 8s)};
    EXPECT_THAT(
        summary_text("drain", runs),
        HasSubstr("drain, 100,000 events, median of 3: 20,000 events/s (12,500 to 25,000)"));
}

TEST(UsageDifference, IsUnknownForTheDatabaseIfEitherIs) {
    const Usage known{.process = 3s, .database = 2s, .written = 10};
    const Usage unknown{.process = 5s, .written = 30};
    EXPECT_FALSE((unknown - known).database);
    EXPECT_EQ((unknown - known).process, 2s);
    EXPECT_EQ((unknown - known).written, 20U);
}

}  // namespace
}  // namespace sundial::bench
