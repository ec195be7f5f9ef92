#include "cli/shadow/compare_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>

namespace sundial::cli {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Instant first_run{1'800'000'000s};

std::vector<Instant> runs(std::initializer_list<std::chrono::seconds> offsets) {
    std::vector<Instant> all;
    for (const auto offset : offsets) all.push_back(first_run + offset);
    return all;
}

ComparisonLimits within_a_day() {
    return {.tolerance = 60s,
            .window = 1h,
            .from = first_run,
            .to = first_run + 24h,
            .old_from = first_run};
}

TEST(CompareRuns, RunsWithinTheToleranceMatch) {
    const auto found =
        compare_runs(runs({0s, 10min, 20min}), runs({0s, 10min + 60s, 19min}), within_a_day());
    EXPECT_EQ(found.matched, 3U);
    EXPECT_EQ(found.largest, 60s);
    EXPECT_TRUE(found.same());
}

TEST(CompareRuns, AnHourBesideIsEarlyOrLate) {
    const auto found = compare_runs(runs({2h, 8h}), runs({1h, 9h}), within_a_day());
    EXPECT_EQ(found.matched, 0U);
    EXPECT_THAT(found.early, ElementsAre(RunPair{first_run + 2h, first_run + 1h}));
    EXPECT_THAT(found.late, ElementsAre(RunPair{first_run + 8h, first_run + 9h}));
    EXPECT_THAT(found.missing, IsEmpty());
    EXPECT_FALSE(found.same());
}

TEST(CompareRuns, RunsFurtherApartAreMissingAndExtra) {
    const auto found = compare_runs(runs({2h}), runs({3h + 1s}), within_a_day());
    EXPECT_THAT(found.missing, ElementsAre(first_run + 2h));
    EXPECT_THAT(found.extra, ElementsAre(first_run + 3h + 1s));
}

TEST(CompareRuns, AMatchTakesPrecedenceOverAnEarlierRunInTheWindow) {
    // The run at 1 h is extra; it must not take the place of the one at 2 h.
    const auto found = compare_runs(runs({2h}), runs({1h, 2h}), within_a_day());
    EXPECT_EQ(found.matched, 1U);
    EXPECT_THAT(found.extra, ElementsAre(first_run + 1h));
}

TEST(CompareRuns, CountsEachOfSeveralRunsAtOneInstant) {
    const auto found = compare_runs(runs({1h, 1h}), runs({1h}), within_a_day());
    EXPECT_EQ(found.matched, 1U);
    EXPECT_THAT(found.missing, ElementsAre(first_run + 1h));
}

TEST(CompareRuns, RunsOutsideOfThePeriodMatchAndDoNotCount) {
    auto period = within_a_day();
    period.to = first_run + 2h;
    // The last run in the log has a partner after the end of the period.
    const auto found = compare_runs(runs({2h}), runs({-2h, 2h + 30s, 5h}), period);
    EXPECT_EQ(found.matched, 1U);
    EXPECT_TRUE(found.same());
}

TEST(CompareRuns, RunsFromBeforeTheScheduleAreNotMissing) {
    auto period = within_a_day();
    period.old_from = first_run + 3h;
    const auto found = compare_runs(runs({1h, 2h, 4h}), runs({4h}), period);
    EXPECT_EQ(found.before, 2U);
    EXPECT_EQ(found.matched, 1U);
    EXPECT_TRUE(found.same());
}

}  // namespace
}  // namespace sundial::cli
