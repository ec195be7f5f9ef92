#include "domain/time/recurrence_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "rrule_support.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// --- gaps and overlaps --------------------------------------------------------------------------
// New York: 2026-03-08 02:00 EST is 03:00 EDT, 2026-11-01 02:00 EDT is 01:00 EST.

TEST(RruleInZone, AGapIsResolvedByThePolicy) {
    const std::string daily = "DTSTART:20260307T023000\nRRULE:FREQ=DAILY;COUNT=3";
    const auto on_the_day = [&](GapPolicy gap) {
        return first_of(new_york(), daily, 9, {.gap = gap}).at(1);
    };
    EXPECT_EQ(on_the_day(GapPolicy::compatible), "2026-03-08T07:30:00Z");
    EXPECT_EQ(on_the_day(GapPolicy::later), "2026-03-08T07:30:00Z");
    EXPECT_EQ(on_the_day(GapPolicy::earlier), "2026-03-08T06:30:00Z");
    EXPECT_EQ(on_the_day(GapPolicy::boundary), "2026-03-08T07:00:00Z");
    EXPECT_EQ(on_the_day(GapPolicy::skip), "2026-03-09T06:30:00Z");
}

TEST(RruleInZone, AnOverlapIsResolvedByThePolicy) {
    const std::string daily = "DTSTART:20261031T013000\nRRULE:FREQ=DAILY;COUNT=3";
    const auto listed = [&](OverlapPolicy overlap) {
        return first_of(new_york(), daily, 9, {.overlap = overlap});
    };
    EXPECT_EQ(listed(OverlapPolicy::compatible).at(1), "2026-11-01T05:30:00Z");
    EXPECT_EQ(listed(OverlapPolicy::earlier).at(1), "2026-11-01T05:30:00Z");
    EXPECT_EQ(listed(OverlapPolicy::later).at(1), "2026-11-01T06:30:00Z");
    EXPECT_EQ(listed(OverlapPolicy::skip).at(1), "2026-11-02T06:30:00Z");
    EXPECT_THAT(listed(OverlapPolicy::both),
                ElementsAre("2026-10-31T05:30:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"))
        << "both passes count";
}

TEST(RruleInZone, TwoNominalTimesOfOneInstantAreOneOccurrenceForCountToo) {
    const std::string two = "DTSTART:20260308T023000\nRRULE:FREQ=DAILY;BYHOUR=2,3;COUNT=3";
    EXPECT_THAT(
        first_of(new_york(), two, 9),
        ElementsAre("2026-03-08T07:30:00Z", "2026-03-09T06:30:00Z", "2026-03-09T07:30:00Z"));
    const std::string many =
        "DTSTART:20260308T020000\nRRULE:FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30;COUNT=3";
    EXPECT_THAT(
        first_of(new_york(), many, 9, {.gap = GapPolicy::boundary}),
        ElementsAre("2026-03-08T07:00:00Z", "2026-03-08T07:30:00Z", "2026-03-09T06:00:00Z"));
}

TEST(RruleInZone, ADayThatDoesNotExistMovesOnADay) {
    EXPECT_THAT(
        first_of(apia(), "DTSTART:20111229T090000\nRRULE:FREQ=DAILY;COUNT=3", 9),
        ElementsAre("2011-12-29T19:00:00Z", "2011-12-30T19:00:00Z", "2011-12-31T19:00:00Z"));
}

TEST(RruleInZone, NotesNameTheEffectOfAPolicy) {
    const auto set = read_in(new_york(), "DTSTART:20260307T023000\nRRULE:FREQ=DAILY");
    ASSERT_TRUE(set);
    const auto moved = list_after(**set, Instant::min(), 2).at(1);
    EXPECT_EQ(moved.note, OccurrenceNote::gap_later);
    EXPECT_EQ(format_wall(moved.nominal), "2026-03-08T02:30:00");
    EXPECT_FALSE(moved.second_pass);

    const auto both = read_in(new_york(), "DTSTART:20261101T013000\nRRULE:FREQ=DAILY",
                              {.overlap = OverlapPolicy::both});
    const auto passes = list_after(**both, Instant::min(), 2);
    EXPECT_EQ(passes.at(0).note, OccurrenceNote::overlap_earlier);
    EXPECT_FALSE(passes.at(0).second_pass);
    EXPECT_EQ(passes.at(1).note, OccurrenceNote::overlap_later);
    EXPECT_TRUE(passes.at(1).second_pass);
}

TEST(RruleInZone, ListsSkippedTimesOnRequest) {
    const auto set = read_in(new_york(), "DTSTART:20260308T023000\nRRULE:FREQ=DAILY;BYMINUTE=0,30",
                             {.gap = GapPolicy::skip});
    ASSERT_TRUE(set);
    const auto cursor = (*set)->after(Instant::min(), Skipped::listed);
    const auto skipped = cursor->next();
    ASSERT_TRUE(skipped);
    EXPECT_EQ(skipped->note, OccurrenceNote::gap_skipped);
    EXPECT_EQ(format_wall(skipped->nominal), "2026-03-08T02:30:00");
    EXPECT_EQ(format_instant(skipped->instant), "2026-03-08T07:00:00Z");
    EXPECT_EQ(format_instant(cursor->next()->instant), "2026-03-09T06:00:00Z");
    EXPECT_EQ((*set)->after(skipped->instant, Skipped::listed)->next()->note, OccurrenceNote::none);
}

// --- elapsed time -------------------------------------------------------------------------------

TEST(RruleInZone, HoursAreRealHours) {
    EXPECT_THAT(
        first_of(new_york(), "DTSTART:20260307T231700\nRRULE:FREQ=HOURLY;INTERVAL=2;COUNT=4", 9),
        ElementsAre("2026-03-08T04:17:00Z", "2026-03-08T06:17:00Z", "2026-03-08T08:17:00Z",
                    "2026-03-08T10:17:00Z"));
    EXPECT_THAT(first_of(new_york(), "DTSTART:20261101T001700\nRRULE:FREQ=HOURLY;COUNT=4", 9),
                ElementsAre("2026-11-01T04:17:00Z", "2026-11-01T05:17:00Z", "2026-11-01T06:17:00Z",
                            "2026-11-01T07:17:00Z"));
}

TEST(RruleInZone, PoliciesMoveTheStartOfElapsedTimeAndNothingElse) {
    const std::string in_gap = "DTSTART:20260308T023000\nRRULE:FREQ=HOURLY;COUNT=2";
    const auto from_gap = [&](GapPolicy gap) {
        return first_of(new_york(), in_gap, 9, {.gap = gap}).at(0);
    };
    EXPECT_EQ(from_gap(GapPolicy::compatible), "2026-03-08T07:30:00Z");
    EXPECT_EQ(from_gap(GapPolicy::skip), "2026-03-08T07:30:00Z");
    EXPECT_EQ(from_gap(GapPolicy::earlier), "2026-03-08T06:30:00Z");
    EXPECT_EQ(from_gap(GapPolicy::boundary), "2026-03-08T07:00:00Z");
    const std::string in_overlap = "DTSTART:20261101T013000\nRRULE:FREQ=HOURLY;COUNT=2";
    EXPECT_THAT(first_of(new_york(), in_overlap, 9, {.overlap = OverlapPolicy::both}),
                ElementsAre("2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"));
    EXPECT_THAT(first_of(new_york(), in_overlap, 9, {.overlap = OverlapPolicy::later}),
                ElementsAre("2026-11-01T06:30:00Z", "2026-11-01T07:30:00Z"));
}

TEST(RruleInZone, LimitsOfElapsedTimeTestTheWallClock) {
    // 01:17 comes twice, 02:17 on the day of the gap never.
    EXPECT_THAT(
        first_of(new_york(), "DTSTART:20261031T001700\nRRULE:FREQ=HOURLY;BYHOUR=1;COUNT=4", 9),
        ElementsAre("2026-10-31T05:17:00Z", "2026-11-01T05:17:00Z", "2026-11-01T06:17:00Z",
                    "2026-11-02T06:17:00Z"));
    EXPECT_THAT(
        first_of(new_york(), "DTSTART:20260307T001700\nRRULE:FREQ=HOURLY;BYHOUR=2;COUNT=2", 9),
        ElementsAre("2026-03-07T07:17:00Z", "2026-03-09T06:17:00Z"));
}

TEST(RruleInZone, ElapsedTimeExpandsInTheHourOfTheClock) {
    EXPECT_THAT(first_of(new_york(),
                         "DTSTART:20260601T091700\nRRULE:FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,30", 3),
                ElementsAre("2026-06-01T13:30:00Z", "2026-06-01T15:00:00Z", "2026-06-01T15:30:00Z"))
        << "09:00 is before DTSTART";
}

TEST(RruleInZone, ElapsedTimesThatTheClockDoesNotShowAreDropped) {
    // As on Lord Howe: 02:00 becomes 02:30. After the step at 02:40 there is none at 02:10.
    const FakeZone half_hour(
        "Half/Hour", 10h,
        {{std::chrono::sys_days{std::chrono::year{2026} / 10 / 3} + 16h, 10h + 30min}});
    EXPECT_THAT(first_of(half_hour, "DTSTART:20261004T010500\nRRULE:FREQ=HOURLY;BYMINUTE=10,40", 4),
                ElementsAre("2026-10-03T15:10:00Z", "2026-10-03T15:40:00Z", "2026-10-03T16:10:00Z",
                            "2026-10-03T16:40:00Z"));
    EXPECT_THAT(
        first_of(half_hour,
                 "DTSTART:20261004T010500\nRRULE:FREQ=HOURLY;BYMINUTE=10,40,50;BYSETPOS=2;COUNT=3",
                 4),
        ElementsAre("2026-10-03T15:40:00Z", "2026-10-03T16:20:00Z", "2026-10-03T17:10:00Z"))
        << "what the clock does not show has no position";
}

// --- the ends of a rule -------------------------------------------------------------------------

TEST(RruleInZone, UntilIsInclusiveInItsThreeForms) {
    const auto count = [](const std::string& until) {
        return first_of(new_york(), "DTSTART:20260601T090000\nRRULE:FREQ=DAILY;UNTIL=" + until, 9)
            .size();
    };
    EXPECT_EQ(count("20260603T130000Z"), 3U);
    EXPECT_EQ(count("20260603T125959Z"), 2U);
    EXPECT_EQ(count("20260603T090000"), 3U);
    EXPECT_EQ(count("20260603T085959"), 2U);
    EXPECT_EQ(count("20260603"), 3U);
    EXPECT_EQ(count("20260602"), 2U);
}

TEST(RruleInZone, UntilByTheClockEndsElapsedTimeToo) {
    const auto last = [](const std::string& start, const std::string& until) {
        return first_of(new_york(), "DTSTART:" + start + "\nRRULE:FREQ=HOURLY;UNTIL=" + until, 99)
            .back();
    };
    EXPECT_EQ(last("20260601T090000", "20260601T110000"), "2026-06-01T15:00:00Z");
    EXPECT_EQ(last("20260601T090000", "20260601"), "2026-06-02T03:00:00Z");
    EXPECT_EQ(last("20261031T230000", "20261101T013000"), "2026-11-01T05:00:00Z");
    EXPECT_EQ(last("20260307T230000", "20260308T023000"), "2026-03-08T07:00:00Z");
}

TEST(RruleInZone, UntilADayLastsToTheEndOfThatDay) {
    // 24:00 of 1 May is 23:00 again.
    const FakeZone back("Back/AtMidnight", 1h,
                        {{std::chrono::sys_days{std::chrono::year{2026} / 5 / 1} + 23h, 0h}});
    EXPECT_EQ(first_of(back, "DTSTART:20260501T220000\nRRULE:FREQ=HOURLY;UNTIL=20260501", 9).back(),
              "2026-05-01T23:00:00Z");
}

TEST(RruleInZone, CountComesBeforeExdate) {
    EXPECT_THAT(first_of(new_york(),
                         "DTSTART:20260601T090000\nRRULE:FREQ=DAILY;COUNT=3\n"
                         "EXDATE:20260602T090000",
                         9),
                ElementsAre("2026-06-01T13:00:00Z", "2026-06-03T13:00:00Z"));
}

TEST(RruleInZone, AfterTheEndThereIsNothing) {
    const auto set = read_in(new_york(), "DTSTART:20260601T090000\nRRULE:FREQ=DAILY;COUNT=3");
    ASSERT_TRUE(set);
    EXPECT_THAT(list_after(**set, latest_instant, 3), IsEmpty());
    EXPECT_EQ((*set)->count(latest_instant, never), 0U);
    EXPECT_EQ((*set)->count(Instant::min(), never), 3U);
}

// --- RDATE and EXDATE ---------------------------------------------------------------------------

TEST(RecurrenceSet, DatesAloneAreASetToo) {
    EXPECT_THAT(first_of(new_york(),
                         "DTSTART:20260601T090000\nRDATE:20260603T090000,20260501T090000\n"
                         "RDATE:20260601T130000Z",
                         9),
                ElementsAre("2026-05-01T13:00:00Z", "2026-06-01T13:00:00Z", "2026-06-03T13:00:00Z"))
        << "RDATE may precede DTSTART, and repeat it";
}

TEST(RecurrenceSet, DatesAreComparedAsInstants) {
    // 02:30 in the gap and 03:30 are one instant; an EXDATE in UTC matches a local time.
    EXPECT_THAT(first_of(new_york(),
                         "DTSTART:20260307T023000\nRRULE:FREQ=DAILY;COUNT=3\n"
                         "RDATE:20260308T033000\nEXDATE:20260309T063000Z",
                         9),
                ElementsAre("2026-03-07T07:30:00Z", "2026-03-08T07:30:00Z"));
}

TEST(RecurrenceSet, ExdateThatHitsNothingIsIgnored) {
    EXPECT_THAT(first_of(new_york(),
                         "DTSTART:20260601T090000\nRRULE:FREQ=DAILY;COUNT=1\n"
                         "EXDATE:20260601T090001",
                         9),
                ElementsAre("2026-06-01T13:00:00Z"));
}

TEST(RecurrenceSet, DatesReadSkipAsCompatibleAndBothAsBoth) {
    const std::string in_gap = "DTSTART:20260601T090000\nRDATE:20260308T023000";
    EXPECT_EQ(first_of(new_york(), in_gap, 9, {.gap = GapPolicy::skip}).at(0),
              "2026-03-08T07:30:00Z");
    const std::string in_overlap = "DTSTART:20260601T090000\nRDATE:20261101T013000";
    EXPECT_THAT(
        first_of(new_york(), in_overlap, 9, {.overlap = OverlapPolicy::both}),
        ElementsAre("2026-06-01T13:00:00Z", "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"));
}

TEST(RecurrenceSet, CountsListedOccurrences) {
    const auto set =
        read_in(new_york(),
                "DTSTART:20260601T090000\nRRULE:FREQ=DAILY;COUNT=5\n"
                "RDATE:20260603T090000,20260603T100000,20260604T100000,20260604T100000\n"
                "EXDATE:20260602T090000,20260604T100000,20260611T090000,20260602T090000");
    ASSERT_TRUE(set);
    const auto all = list_after(**set, Instant::min(), 99);
    EXPECT_EQ(all.size(), 5U);
    EXPECT_EQ((*set)->count(Instant::min(), never), 5U);
    EXPECT_EQ((*set)->count(all[0].instant, all[3].instant), 3U);
}

TEST(RecurrenceSet, NamesTheOccurrencesOfOtherZonesByItsOwnClock) {
    const auto set = read_in(new_york(), "DTSTART:20260601T090000\nRDATE:20261101T063000Z");
    const auto other = list_after(**set, Instant::min(), 9).at(1);
    EXPECT_EQ(format_wall(other.nominal), "2026-11-01T01:30:00");
    EXPECT_TRUE(other.second_pass);
}

TEST(RecurrenceSet, AnUnknownZoneIsTheAnswer) {
    const auto set = read_icalendar("DTSTART:20260601T090000Z\nRDATE;TZID=Here:20260601T090000");
    ASSERT_TRUE(set);
    const auto found = rrule_recurrence(
        *set, [](std::string_view name) -> TimeResult<std::shared_ptr<const Zone>> {
            if (name == "UTC")
                return std::shared_ptr<const Zone>(std::make_shared<FakeZone>(utc_zone()));
            return TimeError{TimeErrorCode::unknown_zone, "no zone " + std::string(name)};
        });
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "no zone Here");
}

TEST(RecurrenceSet, TimesOutsideOfTheCalendarAreRefused) {
    const auto code = [](const std::string& ical) { return first_of(new_york(), ical, 1).back(); };
    EXPECT_EQ(code("DTSTART:99991231T235959"), "out_of_range");
    EXPECT_EQ(code("DTSTART:20260601T090000\nRDATE:99991231T235959"), "out_of_range");
    EXPECT_EQ(code("DTSTART:20260601T090000\nEXDATE:99991231T235959"), "out_of_range");
    EXPECT_EQ(code("DTSTART:00010101T000000"), "0001-01-01T05:00:00Z");
}

TEST(RecurrenceSet, TheCalendarEndsWithYear9999) {
    EXPECT_THAT(first_of(new_york(), "DTSTART:99991230T120000\nRRULE:FREQ=DAILY", 9),
                ElementsAre("9999-12-30T17:00:00Z", "9999-12-31T17:00:00Z"));
    EXPECT_THAT(first_of(new_york(), "DTSTART:99991231T170000\nRRULE:FREQ=HOURLY", 9),
                ElementsAre("9999-12-31T22:00:00Z", "9999-12-31T23:00:00Z"));
}

// --- empty sets ------------------------------------------------------------------------

class SetNeverFires : public testing::TestWithParam<std::string> {};

TEST_P(SetNeverFires, IsSaid) {
    const auto set = read_in(new_york(), GetParam());
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().code, TimeErrorCode::never_fires);
}

const std::string from_june = "DTSTART:20260601T090000\n";
INSTANTIATE_TEST_SUITE_P(
    Sets, SetNeverFires,
    testing::Values(from_june + "RRULE:FREQ=DAILY;UNTIL=20260531",
                    from_june + "RRULE:FREQ=DAILY;UNTIL=20260601T125959Z",
                    from_june + "RRULE:FREQ=HOURLY;UNTIL=20260601T085959",
                    from_june + "EXDATE:20260601T090000",
                    from_june + "RRULE:FREQ=DAILY;COUNT=2\nEXDATE:20260601T090000,20260602T090000",
                    from_june + "RRULE:FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=31",
                    from_june + "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
                    from_june + "RRULE:FREQ=MONTHLY;BYDAY=6MO",
                    from_june + "RRULE:FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1",
                    from_june + "RRULE:FREQ=YEARLY;BYWEEKNO=1;BYMONTH=6",
                    from_june + "RRULE:FREQ=DAILY;INTERVAL=7;BYDAY=TU",
                    from_june + "RRULE:FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=3",
                    from_june + "RRULE:FREQ=HOURLY;BYMINUTE=0;BYSETPOS=2",
                    from_june + "RRULE:FREQ=SECONDLY;INTERVAL=2;BYSECOND=1,31"));

TEST(RecurrenceSet, FiresWhenAnRdateIsLeft) {
    EXPECT_THAT(first_of(new_york(),
                         from_june + "RRULE:FREQ=DAILY;UNTIL=20260531\nRDATE:20260701T090000", 9),
                ElementsAre("2026-07-01T13:00:00Z"));
}

TEST(RecurrenceSet, NeverFiresWhenItsOnlyTimeIsSkipped) {
    EXPECT_EQ(first_of(new_york(), "DTSTART:20260308T023000", 9, {.gap = GapPolicy::skip}).back(),
              "never_fires");
}

TEST(DescribeSet, IncludesDates) {
    EXPECT_EQ(describe(*read_icalendar("DTSTART:20260601T090000Z\nRRULE:FREQ=DAILY\n"
                                       "RDATE:20260601T100000Z\nEXDATE:20260602T090000Z,"
                                       "20260603T090000Z")),
              "every day at 09:00; and 1 more date; but for 2 dates");
    EXPECT_EQ(describe(*read_icalendar("DTSTART:20260601T090000Z")),
              "once, at 2026-06-01T09:00:00");
}

}  // namespace
}  // namespace sundial
