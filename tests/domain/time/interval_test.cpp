#include "domain/time/interval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "domain/time/text.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> next_of(const Recurrence& rule, Instant after, std::size_t count) {
    std::vector<std::string> found;
    for (const RuleOccurrence& next : list_after(rule, after, count))
        found.push_back(format_instant(next.instant));
    return found;
}

TEST(Interval, IsReadAsADurationOfASecondOrMore) {
    EXPECT_EQ(parse_interval("PT1S").value(), 1s);
    EXPECT_EQ(parse_interval("PT36H").value(), 36h);
    EXPECT_EQ(parse_interval("PT0S").error().code, TimeErrorCode::bad_interval);
    EXPECT_THAT(parse_interval("PT0S").error().message, HasSubstr("at least PT1S"));
}

TEST(Interval, PointsToTheRulesOfTheCalendarForItsUnits) {
    for (const char* text : {"P1D", "P2W", "PT1D", "day", "1d", "P1"}) {
        const TimeError error = parse_interval(text).error();
        EXPECT_EQ(error.code, TimeErrorCode::bad_interval) << text;
        EXPECT_THAT(error.message, HasSubstr("cron expression or an RRULE")) << text;
    }
    EXPECT_THAT(parse_interval("P1D").error().message, HasSubstr("PT24H"));
    EXPECT_THAT(parse_interval("PT1M1H").error().message, Not(HasSubstr("cron")));
}

TEST(Interval, IsAnchoredToItsStart) {
    const auto rule = interval_recurrence(at("2026-01-17T00:00:00Z"), 36h);
    EXPECT_THAT(next_of(*rule, at("2026-01-20T00:00:00Z"), 2),
                ElementsAre("2026-01-21T12:00:00Z", "2026-01-23T00:00:00Z"));
}

TEST(Interval, BeginsWithTheStartItself) {
    const auto rule = interval_recurrence(at("2026-01-17T00:00:00Z"), 1h);
    EXPECT_THAT(next_of(*rule, Instant::min(), 2),
                ElementsAre("2026-01-17T00:00:00Z", "2026-01-17T01:00:00Z"));
    EXPECT_THAT(next_of(*rule, at("2026-01-16T23:59:59.999999Z"), 1),
                ElementsAre("2026-01-17T00:00:00Z"));
    EXPECT_THAT(next_of(*rule, at("2026-01-17T00:00:00Z"), 1), ElementsAre("2026-01-17T01:00:00Z"));
}

TEST(Interval, KeepsTheFractionOfItsStart) {
    const auto rule = interval_recurrence(at("2026-01-17T00:00:00.25Z"), 1s);
    EXPECT_THAT(next_of(*rule, at("2026-01-17T00:00:00.25Z"), 1),
                ElementsAre("2026-01-17T00:00:01.25Z"));
    EXPECT_THAT(next_of(*rule, at("2026-01-17T00:00:01Z"), 1),
                ElementsAre("2026-01-17T00:00:01.25Z"));
}

TEST(Interval, EndsWithTheYear9999) {
    const auto rule = interval_recurrence(at("9999-12-31T23:00:00Z"), 876'600h);
    EXPECT_THAT(next_of(*rule, Instant::min(), 9), ElementsAre("9999-12-31T23:00:00Z"));
    EXPECT_THAT(next_of(*rule, Instant::max(), 1), IsEmpty());
    EXPECT_EQ(rule->count(Instant::min(), Instant::max()), 1U);
}

TEST(Interval, CountsWithoutWalking) {
    const auto rule = interval_recurrence(earliest_instant, 1s);
    EXPECT_EQ(rule->count(Instant::min(), Instant::max()), 315'537'897'600U);
    EXPECT_EQ(rule->count(latest_instant - 2s, latest_instant), 2U);
    EXPECT_EQ(rule->count(latest_instant, latest_instant), 0U);
    EXPECT_EQ(rule->count(latest_instant, earliest_instant), 0U);
}

TEST(Interval, NamesAnOccurrenceByItsInstantInUtc) {
    const auto rule = interval_recurrence(at("2026-01-17T00:00:00Z"), 1h);
    EXPECT_EQ(format_wall(next_after(*rule, Instant::min())->nominal), "2026-01-17T00:00:00");
}

TEST(DescribeInterval, SaysTheLengthInWords) {
    EXPECT_EQ(describe_interval(1s), "every second of real time");
    EXPECT_EQ(describe_interval(15min), "every 15 minutes of real time");
    EXPECT_EQ(describe_interval(1h), "every hour of real time");
    EXPECT_EQ(describe_interval(90min), "every 1 hour and 30 minutes of real time");
    EXPECT_EQ(describe_interval(876'600h), "every 876600 hours of real time");
}

}  // namespace
}  // namespace sundial
