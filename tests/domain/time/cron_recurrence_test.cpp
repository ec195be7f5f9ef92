#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/cron.hpp"
#include "domain/time/text.hpp"
#include "support/fake_zone.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using testing::ElementsAre;
using testing::IsEmpty;

std::unique_ptr<Recurrence> cron(std::string_view text, const FakeZone& zone = utc_zone(),
                                 GapPolicy gap = GapPolicy::boundary,
                                 OverlapPolicy overlap = OverlapPolicy::earlier) {
    return cron_recurrence(*parse_cron(text), std::make_shared<FakeZone>(zone), gap, overlap);
}

/// The first `count` occurrences after `after`, as texts.
std::vector<std::string> listed(const Recurrence& rule, std::string_view after, std::size_t count) {
    std::vector<std::string> texts;
    for (const RuleOccurrence& occurrence : list_after(rule, at(after), count))
        texts.push_back(format_instant(occurrence.instant));
    return texts;
}

/// With wall time, note and pass, skipped ones too: "2026-03-08T07:00:00Z 02:30 gap_boundary".
std::vector<std::string> explained(const Recurrence& rule, std::string_view after,
                                   std::size_t count) {
    std::vector<std::string> texts;
    const auto cursor = rule.after(at(after), Skipped::listed);
    while (texts.size() < count) {
        const auto next = cursor->next();
        if (!next) break;
        texts.push_back(format_instant(next->instant) + " " +
                        format_wall(next->nominal).substr(11, 5) +
                        (next->note == OccurrenceNote::none ? "" : " ") +
                        std::string(to_string(next->note)) + (next->second_pass ? " again" : ""));
    }
    return texts;
}

// --- days -------------------------------------------------------------------------------------

struct DayCase {
    std::string_view days;  // day-of-month month day-of-week
    std::string_view after;
    std::vector<std::string_view> dates;
};
void PrintTo(const DayCase& c, std::ostream* out) { *out << c.days; }

class CronDays : public testing::TestWithParam<DayCase> {};
TEST_P(CronDays, Fire) {
    const auto rule = cron("0 0 " + std::string(GetParam().days));
    std::vector<std::string> expected;
    for (const std::string_view date : GetParam().dates)
        expected.push_back(std::string(date) + "T00:00:00Z");
    EXPECT_EQ(listed(*rule, std::string(GetParam().after) + "T00:00:00Z", expected.size()),
              expected);
}
INSTANTIATE_TEST_SUITE_P(
    OfTheMonth, CronDays,
    testing::Values(
        DayCase{"31 * *", "2026-01-31", {"2026-03-31", "2026-05-31", "2026-07-31", "2026-08-31"}},
        DayCase{"29 2 *", "2026-01-01", {"2028-02-29", "2032-02-29"}},
        DayCase{"29 2 *", "2096-03-01", {"2104-02-29"}},
        DayCase{"L * *", "2027-12-31", {"2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30"}},
        DayCase{"L-1 2 *", "2026-01-01", {"2026-02-27", "2027-02-27", "2028-02-28"}},
        DayCase{"L-30 * *", "2026-01-01", {"2026-03-01", "2026-05-01", "2026-07-01"}},
        DayCase{"1,L,L-2 2 *", "2026-01-01", {"2026-02-01", "2026-02-26", "2026-02-28"}}));
// 2026: 1 February and 1 March are Sundays, 1 August a Saturday; 31 January a Saturday, 31 May a
// Sunday.
INSTANTIATE_TEST_SUITE_P(
    NearestWeekday, CronDays,
    testing::Values(DayCase{"1W 8 *", "2026-01-01", {"2026-08-03"}},
                    DayCase{"1W 2,3 *", "2026-01-01", {"2026-02-02", "2026-03-02"}},
                    DayCase{"31W 1,5 *", "2026-01-01", {"2026-01-30", "2026-05-29"}},
                    DayCase{"15W 8,11 *", "2026-01-01", {"2026-08-14", "2026-11-16"}},
                    DayCase{"17W 2 *", "2026-01-01", {"2026-02-17"}},
                    DayCase{"31W * *", "2026-03-31", {"2026-05-29", "2026-07-31", "2026-08-31"}},
                    DayCase{"LW * *", "2026-01-01", {"2026-01-30", "2026-02-27", "2026-03-31"}},
                    DayCase{"LW 5 *", "2026-01-01", {"2026-05-29"}}));
INSTANTIATE_TEST_SUITE_P(
    OfTheWeek, CronDays,
    testing::Values(DayCase{"* * FRI", "2026-01-01", {"2026-01-02", "2026-01-09"}},
                    DayCase{"* * 7", "2026-01-01", {"2026-01-04", "2026-01-11"}},
                    DayCase{"* * 5L", "2026-01-01", {"2026-01-30", "2026-02-27", "2026-03-27"}},
                    DayCase{"* * MON#5", "2026-01-01", {"2026-03-30", "2026-06-29"}},
                    DayCase{"* * SUN#1", "2026-01-01", {"2026-01-04", "2026-02-01", "2026-03-01"}},
                    DayCase{"* * 1#1,5L", "2026-01-01", {"2026-01-05", "2026-01-30", "2026-02-02"}},
                    DayCase{"* 2 1#5", "2026-01-01", {"2044-02-29", "2072-02-29"}}));
INSTANTIATE_TEST_SUITE_P(
    OfBoth, CronDays,
    testing::Values(DayCase{"13 * FRI",
                            "2026-02-10",
                            {"2026-02-13", "2026-02-20", "2026-02-27", "2026-03-06", "2026-03-13"}},
                    DayCase{"13 * FRI", "2026-01-10", {"2026-01-13", "2026-01-16"}},
                    DayCase{"*/2 * MON", "2026-01-01", {"2026-01-05", "2026-01-19", "2026-02-09"}},
                    DayCase{"13 * */5", "2026-01-01", {"2026-02-13", "2026-03-13", "2026-09-13"}},
                    DayCase{"30 2 1", "2026-01-01", {"2026-02-02", "2026-02-09"}},
                    DayCase{"L * MON", "2026-01-27", {"2026-01-31", "2026-02-02"}}));

// --- times ------------------------------------------------------------------------------------

TEST(CronRecurrence, TimesOfADayFollowEachOther) {
    EXPECT_THAT(listed(*cron("50,5 22-1 * * *"), "2026-01-01T00:10:00Z", 5),
                ElementsAre("2026-01-01T00:50:00Z", "2026-01-01T01:05:00Z", "2026-01-01T01:50:00Z",
                            "2026-01-01T22:05:00Z", "2026-01-01T22:50:00Z"));
    EXPECT_THAT(listed(*cron("*/25 10 6 * * *"), "2026-01-01T06:10:25Z", 2),
                ElementsAre("2026-01-01T06:10:50Z", "2026-01-02T06:10:00Z"));
}

TEST(CronRecurrence, NextIsStrictlyAfterToTheMicrosecond) {
    const auto rule = cron("0 6 * * *");
    const Instant six = at("2026-01-01T06:00:00Z");
    EXPECT_EQ(next_after(*rule, six - 1us)->instant, six);
    EXPECT_EQ(next_after(*rule, six)->instant, six + 24h);
    EXPECT_EQ(next_after(*rule, six + 1us)->instant, six + 24h);
}

TEST(CronRecurrence, ReachesFromYear1ToYear9999) {
    const auto rule = cron("30 6 * * *");
    EXPECT_EQ(next_after(*rule, Instant::min())->instant, at("0001-01-01T06:30:00Z"));
    EXPECT_EQ(next_after(*rule, at("9999-12-30T06:30:00Z"))->instant, at("9999-12-31T06:30:00Z"));
    EXPECT_EQ(next_after(*rule, at("9999-12-31T06:30:00Z")), std::nullopt);
    EXPECT_EQ(next_after(*rule, latest_instant), std::nullopt);
    EXPECT_EQ(next_after(*rule, never), std::nullopt);
    const auto each_second = cron("* * * * * *");
    EXPECT_EQ(next_after(*each_second, Instant::min())->instant, earliest_instant);
    EXPECT_EQ(next_after(*each_second, latest_instant - 1s)->instant, latest_instant);
}

TEST(CronRecurrence, TheEndsOfTheCalendarAreThoseOfUtc) {
    const FakeZone east("East", 14h), west("West", -12h);
    EXPECT_EQ(next_after(*cron("0 14 * * *", east), Instant::min())->instant, earliest_instant);
    EXPECT_EQ(next_after(*cron("0 12 31 12 *", west), Instant::min())->instant, earliest_instant)
        << "where the wall clock still shows the year before year 1";
    EXPECT_THAT(listed(*cron("0 13 1 1 *", east), "9998-12-31T00:00:00Z", 9),
                ElementsAre("9998-12-31T23:00:00Z", "9999-12-31T23:00:00Z"))
        << "where the wall clock shows the year 10000 already";
}

/// A clock `offset` from UTC, except for three days from the beginning of 1 June 2026.
FakeZone three_days_off(std::chrono::seconds offset) {
    const std::chrono::sys_seconds change = sys_days{std::chrono::June / 1 / 2026};
    return FakeZone("Off", offset, {{change, offset + 1h}, {change + 72h, offset}});
}

TEST(CronRecurrence, ASparseRuleMissesNothingNearAChange) {
    const std::string_view start = "2026-01-01T00:00:00Z";
    EXPECT_THAT(listed(*cron("30 13 31 5 *", three_days_off(-12h)), start, 1),
                ElementsAre("2026-06-01T00:30:00Z"));
    EXPECT_THAT(listed(*cron("30 11 31 5 *", three_days_off(-12h)), start, 1),
                ElementsAre("2026-05-31T23:30:00Z"));
    EXPECT_THAT(listed(*cron("30 14 4 6 *", three_days_off(14h)), start, 1),
                ElementsAre("2026-06-03T23:30:00Z"));
    EXPECT_THAT(listed(*cron("30 14 4 6 *", three_days_off(14h)), "2026-06-02T00:00:00Z", 1),
                ElementsAre("2026-06-03T23:30:00Z"));
}

TEST(CronRecurrence, ACursorThatHasEndedStaysSo) {
    const auto rule = cron("@yearly");
    const auto cursor = rule->after(at("9999-01-01T00:00:00Z"));
    EXPECT_EQ(cursor->next(), std::nullopt);
    EXPECT_EQ(cursor->next(), std::nullopt);
}

// --- changes of the clock ---------------------------------------------------------------------

TEST(FixedTimeJob, GoesToTheEndOfItsGap) {
    EXPECT_THAT(
        explained(*cron("30 2 * * *", new_york()), "2026-03-07T12:00:00Z", 2),
        ElementsAre("2026-03-08T07:00:00Z 02:30 gap_boundary", "2026-03-09T06:30:00Z 02:30"));
}

TEST(FixedTimeJob, SeveralAtTheEndOfAGapAreOne) {
    const auto rule = cron("*/20 0,30 2-3 * * *", new_york());
    EXPECT_THAT(explained(*rule, "2026-03-08T06:59:59Z", 3),
                ElementsAre("2026-03-08T07:00:00Z 02:00 gap_boundary", "2026-03-08T07:00:20Z 03:00",
                            "2026-03-08T07:00:40Z 03:00"));
    EXPECT_EQ(rule->count(at("2026-03-08T00:00:00Z"), at("2026-03-08T07:00:00Z")), 1U);
    EXPECT_EQ(rule->count(at("2026-03-08T00:00:00Z"), at("2026-03-08T23:00:00Z")), 6U);
}

TEST(FixedTimeJob, MovesOutOfAGapByPolicyAndMergesWithItsNeighbours) {
    const auto later = cron("0,30 2,3 * * *", new_york(), GapPolicy::later);
    EXPECT_THAT(explained(*later, "2026-03-08T00:00:00Z", 3),
                ElementsAre("2026-03-08T07:00:00Z 02:00 gap_later",
                            "2026-03-08T07:30:00Z 02:30 gap_later", "2026-03-09T06:00:00Z 02:00"));
    const auto compatible = cron("15 2 * * *", new_york(), GapPolicy::compatible);
    EXPECT_THAT(explained(*compatible, "2026-03-08T00:00:00Z", 1),
                ElementsAre("2026-03-08T07:15:00Z 02:15 gap_later"));
    const auto earlier = cron("15,45 1,2 * * *", new_york(), GapPolicy::earlier);
    EXPECT_THAT(explained(*earlier, "2026-03-08T00:00:00Z", 3),
                ElementsAre("2026-03-08T06:15:00Z 01:15", "2026-03-08T06:45:00Z 01:45",
                            "2026-03-09T05:15:00Z 01:15"));
}

TEST(FixedTimeJob, MovedBackItIsOrderedAmongEarlierTimes) {
    // Half an hour: times that are moved back fall between those of the half hour before.
    const FakeZone lord_howe("Australia/Lord_Howe", 10h + 30min,
                             {{sys_days{std::chrono::October / 3 / 2026} + 15h + 30min, 11h}});
    const auto rule = cron("0 10,40 1-2 * * *", lord_howe, GapPolicy::earlier);
    EXPECT_THAT(explained(*rule, "2026-10-03T12:00:00Z", 4),
                ElementsAre("2026-10-03T14:40:00Z 01:10", "2026-10-03T15:10:00Z 01:40",
                            "2026-10-03T15:40:00Z 02:40", "2026-10-04T14:10:00Z 01:10"));
    const auto alone = cron("20,40 1-2 * * *", lord_howe, GapPolicy::earlier);
    EXPECT_THAT(
        explained(*alone, "2026-10-03T12:00:00Z", 4),
        ElementsAre("2026-10-03T14:50:00Z 01:20", "2026-10-03T15:10:00Z 01:40",
                    "2026-10-03T15:20:00Z 02:20 gap_earlier", "2026-10-03T15:40:00Z 02:40"));
}

TEST(FixedTimeJob, IsSkippedByPolicyWithARecord) {
    const auto gap = cron("30 2 * * *", new_york(), GapPolicy::skip);
    EXPECT_THAT(listed(*gap, "2026-03-07T12:00:00Z", 1), ElementsAre("2026-03-09T06:30:00Z"));
    EXPECT_THAT(
        explained(*gap, "2026-03-07T12:00:00Z", 2),
        ElementsAre("2026-03-08T07:00:00Z 02:30 gap_skipped", "2026-03-09T06:30:00Z 02:30"));
    const auto overlap = cron("30 1 * * *", new_york(), GapPolicy::boundary, OverlapPolicy::skip);
    EXPECT_THAT(listed(*overlap, "2026-10-31T12:00:00Z", 1), ElementsAre("2026-11-02T06:30:00Z"));
    EXPECT_THAT(explained(*overlap, "2026-10-31T12:00:00Z", 1),
                ElementsAre("2026-11-01T05:30:00Z 01:30 overlap_skipped"));
}

TEST(FixedTimeJob, RunsOnceInAnOverlapUnlessBothAreWanted) {
    const auto run = [](OverlapPolicy overlap) {
        return explained(*cron("30 1 * * *", new_york(), GapPolicy::boundary, overlap),
                         "2026-10-31T12:00:00Z", 3);
    };
    EXPECT_THAT(run(OverlapPolicy::earlier),
                ElementsAre("2026-11-01T05:30:00Z 01:30 overlap_earlier",
                            "2026-11-02T06:30:00Z 01:30", "2026-11-03T06:30:00Z 01:30"));
    EXPECT_EQ(run(OverlapPolicy::compatible), run(OverlapPolicy::earlier));
    EXPECT_THAT(run(OverlapPolicy::later),
                ElementsAre("2026-11-01T06:30:00Z 01:30 overlap_later",
                            "2026-11-02T06:30:00Z 01:30", "2026-11-03T06:30:00Z 01:30"));
    EXPECT_THAT(run(OverlapPolicy::both),
                ElementsAre("2026-11-01T05:30:00Z 01:30 overlap_earlier",
                            "2026-11-01T06:30:00Z 01:30 overlap_later again",
                            "2026-11-02T06:30:00Z 01:30"));
}

TEST(FixedTimeJob, BothPassesComeOneAfterTheOther) {
    const auto both = cron("0,30 1 * * *", new_york(), GapPolicy::boundary, OverlapPolicy::both);
    EXPECT_THAT(explained(*both, "2026-10-31T12:00:00Z", 4),
                ElementsAre("2026-11-01T05:00:00Z 01:00 overlap_earlier",
                            "2026-11-01T05:30:00Z 01:30 overlap_earlier",
                            "2026-11-01T06:00:00Z 01:00 overlap_later again",
                            "2026-11-01T06:30:00Z 01:30 overlap_later again"));
}

TEST(WildcardJob, FollowsTheRealClock) {
    const auto rule = cron("17 * * * *", new_york(), GapPolicy::later, OverlapPolicy::skip);
    EXPECT_THAT(explained(*rule, "2026-03-08T05:20:00Z", 3),
                ElementsAre("2026-03-08T06:17:00Z 01:17", "2026-03-08T07:17:00Z 03:17",
                            "2026-03-08T08:17:00Z 04:17"));
    EXPECT_THAT(explained(*rule, "2026-11-01T04:20:00Z", 3),
                ElementsAre("2026-11-01T05:17:00Z 01:17 overlap_earlier",
                            "2026-11-01T06:17:00Z 01:17 overlap_later again",
                            "2026-11-01T07:17:00Z 02:17"));
}

TEST(WildcardJob, OfAMissingHourDoesNotRun) {
    EXPECT_THAT(explained(*cron("*/30 2 * * *", new_york()), "2026-03-07T12:00:00Z", 1),
                ElementsAre("2026-03-09T06:00:00Z 02:00"));
}

TEST(WildcardJob, TakesOffsetsWithSeconds) {
    // Amsterdam of 1937: +00:19:32.
    const FakeZone amsterdam("Europe/Amsterdam", 19min + 32s,
                             {{sys_days{std::chrono::July / 1 / 1937}, 20min}});
    EXPECT_THAT(
        listed(*cron("* * * * *", amsterdam), "1937-06-30T23:58:00Z", 3),
        ElementsAre("1937-06-30T23:58:28Z", "1937-06-30T23:59:28Z", "1937-07-01T00:00:00Z"));
}

// Changes of three hours and more are calendar changes.
TEST(FixedTimeJob, OfADayThatDoesNotExistIsSkippedWhateverThePolicy) {
    for (const GapPolicy gap : {GapPolicy::compatible, GapPolicy::earlier, GapPolicy::later,
                                GapPolicy::boundary, GapPolicy::skip}) {
        const auto noon = cron("0 12 * * *", apia(), gap);
        EXPECT_THAT(
            explained(*noon, "2011-12-29T00:00:00Z", 3),
            ElementsAre("2011-12-29T22:00:00Z 12:00", "2011-12-30T10:00:00Z 12:00 gap_skipped",
                        "2011-12-30T22:00:00Z 12:00"));
        EXPECT_EQ(noon->count(at("2011-12-29T00:00:00Z"), at("2011-12-30T23:00:00Z")), 2U);
        EXPECT_THAT(listed(*cron("0 12 30 12 *", apia(), gap), "2011-01-01T00:00:00Z", 1),
                    ElementsAre("2012-12-29T22:00:00Z"));
    }
}

TEST(FixedTimeJob, OfAGapOfThreeHoursIsSkippedAndOfLessIsNot) {
    const auto gap_of = [](std::chrono::seconds length) {
        return FakeZone("Gap", 0s, {{sys_days{std::chrono::June / 1 / 2026} + 1h, length}});
    };
    EXPECT_THAT(listed(*cron("30 1 * * *", gap_of(3h)), "2026-05-31T12:00:00Z", 1),
                ElementsAre("2026-06-01T22:30:00Z"));
    EXPECT_THAT(listed(*cron("30 1 * * *", gap_of(3h - 1s)), "2026-05-31T12:00:00Z", 1),
                ElementsAre("2026-06-01T01:00:00Z"));
}

TEST(FixedTimeJob, OfADayThatComesTwiceRunsOnce) {
    const FakeZone back("Back", 14h, {{sys_days{std::chrono::June / 1 / 2026} + 10h, -10h}});
    EXPECT_THAT(
        explained(*cron("0 12 * * *", back), "2026-05-31T00:00:00Z", 2),
        ElementsAre("2026-05-31T22:00:00Z 12:00 overlap_earlier", "2026-06-02T22:00:00Z 12:00"));
    EXPECT_EQ(
        cron("0 */12 * * *", back)->count(at("2026-05-31T10:00:00Z"), at("2026-06-02T10:00:00Z")),
        4U)
        << "and a wildcard job on both";
}

TEST(FixedTimeJob, AtAMidnightThatDoesNotExistRunsAtItsEnd) {
    const FakeZone cairo("Africa/Cairo", 2h,
                         {{sys_days{std::chrono::April / 23 / 2026} + 22h, 3h}});
    EXPECT_THAT(
        explained(*cron("@daily", cairo), "2026-04-23T12:00:00Z", 2),
        ElementsAre("2026-04-23T22:00:00Z 00:00 gap_boundary", "2026-04-24T21:00:00Z 00:00"));
}

// --- counting ---------------------------------------------------------------------------------

TEST(CronCount, IsExclusiveThenInclusive) {
    const auto rule = cron("0 6 * * *");
    const Instant six = at("2026-01-01T06:00:00Z");
    EXPECT_EQ(rule->count(six, six), 0U);
    EXPECT_EQ(rule->count(six - 1us, six), 1U);
    EXPECT_EQ(rule->count(six, six + 24h - 1us), 0U);
    EXPECT_EQ(rule->count(six, six + 24h), 1U);
    EXPECT_EQ(rule->count(six + 24h, six), 0U);
}

TEST(CronCount, KnowsTheWholeCalendar) {
    constexpr std::uint64_t days = 3'652'059;  // of the years 1 to 9999
    EXPECT_EQ(cron("* * * * * *")->count(Instant::min(), Instant::max()), days * 86'400);
    EXPECT_EQ(cron("0 0 29 2 *")->count(Instant::min(), Instant::max()), 2424U);
    EXPECT_EQ(cron("@yearly")->count(Instant::min(), Instant::max()), 9999U);
    EXPECT_THAT(newest_until(*cron("@yearly"), Instant::min(), at("0003-06-01T00:00:00Z"), 9),
                testing::SizeIs(3));
}

}  // namespace
}  // namespace sundial
