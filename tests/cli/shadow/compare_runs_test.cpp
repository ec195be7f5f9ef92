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

constexpr Instant first{1'800'000'000s};

std::vector<Instant> runs(std::initializer_list<std::chrono::seconds> offsets) {
    std::vector<Instant> all;
    for (const auto offset : offsets) all.push_back(first + offset);
    return all;
}

ComparisonLimits limits() {
    return {.tolerance = 60s, .window = 1h, .from = first, .to = first + 24h, .old_from = first};
}

TEST(CompareRuns, RunsWithinTheToleranceMatch) {
    const auto found =
        compare_runs(runs({0s, 10min, 20min}), runs({0s, 10min + 60s, 19min}), limits());
    EXPECT_EQ(found.matched, 3U);
    EXPECT_EQ(found.largest, 60s);
    EXPECT_TRUE(found.same());
}

TEST(CompareRuns, AnHourBesideIsEarlyOrLate) {
    const auto found = compare_runs(runs({2h, 8h}), runs({1h, 9h}), limits());
    EXPECT_EQ(found.matched, 0U);
    EXPECT_THAT(found.early, ElementsAre(RunPair{first + 2h, first + 1h}));
    EXPECT_THAT(found.late, ElementsAre(RunPair{first + 8h, first + 9h}));
    EXPECT_THAT(found.missing, IsEmpty());
    EXPECT_FALSE(found.same());
}

TEST(CompareRuns, RunsFurtherApartAreMissingAndExtra) {
    const auto found = compare_runs(runs({2h}), runs({3h + 1s}), limits());
    EXPECT_THAT(found.missing, ElementsAre(first + 2h));
    EXPECT_THAT(found.extra, ElementsAre(first + 3h + 1s));
}

TEST(CompareRuns, AMatchTakesPrecedenceOverAnEarlierRunInTheWindow) {
    // The run at 1 h is extra; it must not take the place of the one at 2 h.
    const auto found = compare_runs(runs({2h}), runs({1h, 2h}), limits());
    EXPECT_EQ(found.matched, 1U);
    EXPECT_THAT(found.extra, ElementsAre(first + 1h));
}

TEST(CompareRuns, CountsEachOfSeveralRunsAtOneInstant) {
    const auto found = compare_runs(runs({1h, 1h}), runs({1h}), limits());
    EXPECT_EQ(found.matched, 1U);
    EXPECT_THAT(found.missing, ElementsAre(first + 1h));
}

TEST(CompareRuns, RunsOutsideOfThePeriodMatchAndDoNotCount) {
    auto period = limits();
    period.to = first + 2h;
    // The last run in the log has a partner after the end of the period.
    const auto found = compare_runs(runs({2h}), runs({-2h, 2h + 30s, 5h}), period);
    EXPECT_EQ(found.matched, 1U);
    EXPECT_TRUE(found.same());
}

TEST(CompareRuns, RunsFromBeforeTheScheduleAreNotMissing) {
    auto period = limits();
    period.old_from = first + 3h;
    const auto found = compare_runs(runs({1h, 2h, 4h}), runs({4h}), period);
    EXPECT_EQ(found.before, 2U);
    EXPECT_EQ(found.matched, 1U);
    EXPECT_TRUE(found.same());
}

}  // namespace
}  // namespace sundial::cli
