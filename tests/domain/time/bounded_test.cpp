#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "domain/time/interval.hpp"
#include "domain/time/recurrence.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const Instant start = std::chrono::sys_days{std::chrono::January / 1 / 2026};

std::vector<Instant> all(const Recurrence& rule) {
    std::vector<Instant> found;
    for (const RuleOccurrence& next : list_after(rule, Instant::min(), 1000))
        found.push_back(next.instant);
    return found;
}

TEST(Bounded, HoldsBothItsEnds) {
    const auto rule = bounded(interval_recurrence(start, 1h), start + 2h, start + 4h);
    EXPECT_THAT(all(*rule), ElementsAre(start + 2h, start + 3h, start + 4h));
    EXPECT_EQ(rule->count(Instant::min(), Instant::max()), 3U);
    EXPECT_EQ(rule->count(start + 2h, start + 3h), 1U);
    EXPECT_EQ(rule->count(start + 4h, Instant::max()), 0U);
}

TEST(Bounded, IsTheRuleItselfWithoutBounds) {
    const auto rule = bounded(interval_recurrence(start, 1h), {}, {});
    EXPECT_EQ(next_after(*rule, Instant::min())->instant, start);
    EXPECT_EQ(rule->count(start, start + 5h), 5U);
}

TEST(Bounded, MayHoldNothing) {
    EXPECT_THAT(all(*bounded(interval_recurrence(start, 1h), start + 1min, start + 2min)),
                IsEmpty());
    EXPECT_THAT(all(*bounded(interval_recurrence(start, 1h), start + 2h, start + 1h)), IsEmpty());
}

TEST(Bounded, HasEndedForEverOnceItHas) {
    const auto rule = bounded(interval_recurrence(start, 1h), {}, start);
    const auto cursor = rule->after(Instant::min());
    EXPECT_TRUE(cursor->next());
    EXPECT_FALSE(cursor->next());
    EXPECT_FALSE(cursor->next());
}

TEST(SingleRecurrence, OccursOnce) {
    const auto rule = single_recurrence(RuleOccurrence{start, WallTime{}});
    EXPECT_THAT(all(*rule), ElementsAre(start));
    EXPECT_EQ(next_after(*rule, start), std::nullopt);
    EXPECT_EQ(rule->count(start - 1us, start), 1U);
    EXPECT_EQ(rule->count(start, start + 1h), 0U);
    EXPECT_EQ(rule->count(start - 1h, start - 1us), 0U);
}

TEST(SingleRecurrence, OfASkippedTimeIsEmptyUnlessAskedForSkippedOnes) {
    const auto rule =
        single_recurrence(RuleOccurrence{start, WallTime{}, false, OccurrenceNote::gap_skipped});
    EXPECT_THAT(all(*rule), IsEmpty());
    EXPECT_EQ(rule->count(Instant::min(), never), 0U);
    EXPECT_EQ(rule->after(Instant::min(), Skipped::listed)->next()->note,
              OccurrenceNote::gap_skipped);
    EXPECT_THAT(all(*single_recurrence({})), IsEmpty());
}

}  // namespace
}  // namespace sundial
