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

// --- texts --------------------------------------------------------------------------------------

std::chrono::local_seconds wall(int year, unsigned month, unsigned day, std::chrono::seconds time) {
    return std::chrono::local_days{std::chrono::year{year} / std::chrono::month{month} /
                                   std::chrono::day{day}} +
           time;
}

TEST(ReadRecurrence, TakesTimesInBothForms) {
    const RecurrenceFields fields{.dtstart = "1997-09-02T09:00",
                                  .zone = "Europe/Rome",
                                  .rrule = "FREQ=DAILY",
                                  .rdates = {"19970902T100000", "1997-09-02T11:00:01Z"},
                                  .exdates = {"1997-09-02t12:00:00"}};
    const auto set = read_recurrence(fields);
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_THAT(set->zones, ElementsAre("Europe/Rome", "UTC"));
    EXPECT_EQ(set->dtstart, wall(1997, 9, 2, 9h));
    EXPECT_EQ(set->rule, *parse_rrule("FREQ=DAILY"));
    EXPECT_THAT(set->rdates, ElementsAre(SetTime{wall(1997, 9, 2, 10h), 0},
                                         SetTime{wall(1997, 9, 2, 11h + 1s), 1}));
    EXPECT_THAT(set->exdates, ElementsAre(SetTime{wall(1997, 9, 2, 12h), 0}));
}

TEST(ReadRecurrence, ReadsZAsUtc) {
    const auto set = read_recurrence({.dtstart = "19970902T090000Z",
                                      .zone = {},
                                      .rrule = {},
                                      .rdates = {"19970902T100000Z"},
                                      .exdates = {}});
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_THAT(set->zones, ElementsAre("UTC"));
    EXPECT_THAT(set->rdates, ElementsAre(SetTime{wall(1997, 9, 2, 10h), 0}));
}

struct RefusedFields {
    std::string name;
    std::string dtstart;
    std::optional<std::string> zone, rrule;
    std::vector<std::string> rdates, exdates;
    TimeErrorCode code;
    std::string named;
};
void PrintTo(const RefusedFields& refused, std::ostream* out) { *out << refused.name; }

class ReadRecurrenceRefuses : public testing::TestWithParam<RefusedFields> {};

TEST_P(ReadRecurrenceRefuses, AndNamesTheField) {
    const RefusedFields& in = GetParam();
    const auto set = read_recurrence({.dtstart = in.dtstart,
                                      .zone = in.zone,
                                      .rrule = in.rrule,
                                      .rdates = {in.rdates.begin(), in.rdates.end()},
                                      .exdates = {in.exdates.begin(), in.exdates.end()}});
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().code, in.code) << set.error().message;
    EXPECT_THAT(set.error().message, HasSubstr(in.named));
}

using enum TimeErrorCode;
const std::string start = "19970902T090000";
const std::string rome = "Europe/Rome";
INSTANTIATE_TEST_SUITE_P(
    Fields, ReadRecurrenceRefuses,
    testing::Values(
        RefusedFields{"no_zone", start, {}, {}, {}, {}, bad_request, "needs a zone"},
        RefusedFields{"two_zones", start + "Z", rome, {}, {}, {}, bad_request, "is UTC by its Z"},
        RefusedFields{"a_zone_with_the_start",
                      "TZID=Europe/Rome:" + start,
                      rome,
                      {},
                      {},
                      {},
                      bad_time,
                      "give its zone separately"},
        RefusedFields{"a_zone_in_the_rule",
                      start,
                      rome,
                      "FREQ=DAILY;TZID=Europe/Rome",
                      {},
                      {},
                      bad_rrule,
                      "give the zone separately"},
        RefusedFields{"bare_date", "19970902", rome, {}, {}, {}, bad_time, "no due instant"},
        RefusedFields{"bare_long_date", "1997-09-02", rome, {}, {}, {}, bad_time, "no due instant"},
        RefusedFields{"no_such_day", "19970229T090000", rome, {}, {}, {}, bad_time, "dtstart"},
        RefusedFields{
            "no_such_long_day", "1997-02-29T09:00", rome, {}, {}, {}, bad_time, "dtstart"},
        RefusedFields{"hour_24", "19970902T240000", rome, {}, {}, {}, bad_time, "dtstart"},
        RefusedFields{"second_60", "19970902T235960", rome, {}, {}, {}, bad_time, "dtstart"},
        RefusedFields{"blanks", " 19970902T090000", rome, {}, {}, {}, bad_time, "dtstart"},
        RefusedFields{"empty", "", rome, {}, {}, {}, bad_time, "dtstart"},
        RefusedFields{"an_offset", "1997-09-02T09:00+02:00", rome, {}, {}, {}, bad_time, "offset"},
        RefusedFields{"a_suffix",
                      "1997-09-02T09:00[Europe/Rome]",
                      rome,
                      {},
                      {},
                      {},
                      bad_time,
                      "give the zone separately"},
        RefusedFields{
            "a_fraction", "1997-09-02T09:00:00.5", rome, {}, {}, {}, bad_time, "fraction"},
        RefusedFields{"year_0", "00000902T090000", rome, {}, {}, {}, out_of_range, "0001 to 9999"},
        RefusedFields{"long_year_0", "0000-09-02T09:00", rome, {}, {}, {}, out_of_range, "0001"},
        RefusedFields{"rule", start, rome, "FREQ=DAILY;COUNT=0", {}, {}, bad_rrule, "COUNT"},
        RefusedFields{"rdate", start, rome, {}, {"x"}, {}, bad_time, "rdate 'x'"},
        RefusedFields{"rdate_list", start, rome, {}, {start + "," + start}, {}, bad_time, "rdate"},
        RefusedFields{"exdate", start, rome, {}, {}, {"19970902"}, bad_time, "exdate"}),
    [](const auto& info) { return info.param.name; });

TEST(ReadIcalendar, UnfoldingTakesOneBlankAndNoMore) {
    const auto set = read_icalendar(
        "exdate;tzid=\"Asia/Tokyo\":19970904T090000,\r\n 19970905T090000\r\n"
        "RDATE;VALUE=DATE-TIME:19970902T2\n\t00000\n"
        "rrule:freq=daily;co\r\n  unt=3\r\n"
        "\r\n"
        "DTSTART;VALUE=date-time;TZID=America/New_York:19970902T090000");
    ASSERT_FALSE(set);
    EXPECT_THAT(set.error().message, HasSubstr("'co unt'"));
}

TEST(ReadIcalendar, TakesLinesInAnyOrderFoldedAndInAnyCase) {
    const auto set = read_icalendar(
        "exdate;tzid=\"Asia/Tokyo\":19970904T090000,\r\n 19970905T090000\r\n"
        "RDATE;VALUE=DATE-TIME:19970902T2\n\t00000\n"
        "rrule:freq=daily;co\r\n unt=3\r\n"
        "\r\n"
        "DTSTART;VALUE=date-time;TZID=America/New_York:19970902T090000");
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_THAT(set->zones, ElementsAre("America/New_York", "Asia/Tokyo"));
    EXPECT_EQ(set->rule->count, 3U);
    EXPECT_THAT(set->rdates, ElementsAre(SetTime{wall(1997, 9, 2, 20h), 0}));
    EXPECT_THAT(set->exdates,
                ElementsAre(SetTime{wall(1997, 9, 4, 9h), 1}, SetTime{wall(1997, 9, 5, 9h), 1}));
}

TEST(ReadIcalendar, AFloatingStartTakesTheSeparateZone) {
    EXPECT_THAT(read_icalendar("DTSTART:19970902T090000", "Asia/Tokyo")->zones,
                ElementsAre("Asia/Tokyo"));
    EXPECT_THAT(read_icalendar("DTSTART;TZID=Asia/Tokyo:19970902T090000", "Asia/Tokyo")->zones,
                ElementsAre("Asia/Tokyo"));
    EXPECT_THAT(read_icalendar("RDATE:19970902T090000Z\nDTSTART:19970902T090000Z")->zones,
                ElementsAre("UTC"));
}

struct RefusedText {
    std::string name, text;
    TimeErrorCode code;
    std::string named;
};
void PrintTo(const RefusedText& refused, std::ostream* out) { *out << refused.name; }

class ReadIcalendarRefuses : public testing::TestWithParam<RefusedText> {};

TEST_P(ReadIcalendarRefuses, AndNamesTheLine) {
    const auto set = read_icalendar(GetParam().text);
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().code, GetParam().code) << set.error().message;
    EXPECT_THAT(set.error().message, HasSubstr(GetParam().named));
}

const std::string good = "DTSTART;TZID=Europe/Rome:19970902T090000\n";
INSTANTIATE_TEST_SUITE_P(
    Lines, ReadIcalendarRefuses,
    testing::Values(
        RefusedText{"nothing", "", bad_rrule, "DTSTART is missing"},
        RefusedText{"no_start", "RRULE:FREQ=DAILY", bad_rrule, "DTSTART is missing"},
        RefusedText{"two_starts", good + good, bad_rrule, "DTSTART is given twice"},
        RefusedText{"two_rules", good + "RRULE:FREQ=DAILY\nRRULE:FREQ=DAILY", bad_rrule,
                    "RRULE is given twice"},
        RefusedText{"exrule", good + "EXRULE:FREQ=DAILY", bad_rrule, "'EXRULE'"},
        RefusedText{"event", "BEGIN:VEVENT\n" + good, bad_rrule, "'BEGIN'"},
        RefusedText{"end", good + "DTEND:19970902T100000", bad_rrule, "'DTEND'"},
        RefusedText{"no_colon", good + "RRULE", bad_rrule, "the line 'RRULE'"},
        RefusedText{"no_name", good + ":x", bad_rrule, "the line ':x'"},
        RefusedText{"folded_first", " " + good, bad_rrule, "' DTSTART'"},
        RefusedText{"parameter", good + "RDATE;X-A=1:19970902T090000", bad_rrule, "'X-A'"},
        RefusedText{"parameter_twice", "DTSTART;TZID=A;TZID=A:19970902T090000", bad_rrule,
                    "is given twice"},
        RefusedText{"parameter_list", "DTSTART;TZID=A,B:19970902T090000", bad_rrule, "the line"},
        RefusedText{"open_quotes", "DTSTART;TZID=\"A:19970902T090000", bad_rrule, "the line"},
        RefusedText{"no_value", "DTSTART;TZID:19970902T090000", bad_rrule, "the line"},
        RefusedText{"rule_parameter", good + "RRULE;TZID=A:FREQ=DAILY", bad_rrule, "no parameters"},
        RefusedText{"rule_twice_named", good + "RRULE:RRULE:FREQ=DAILY", bad_rrule, "RRULE"},
        RefusedText{"date_type", "DTSTART;VALUE=DATE:19970902", bad_time, "VALUE=DATE-TIME"},
        RefusedText{"bare_date", "DTSTART:19970902", bad_time, "no due instant"},
        RefusedText{"period", good + "RDATE;VALUE=PERIOD:19970902T090000Z/PT1H", bad_time,
                    "VALUE=DATE-TIME"},
        RefusedText{"utc_with_zone", "DTSTART;TZID=Europe/Rome:19970902T090000Z", bad_time,
                    "no TZID"},
        RefusedText{"list_with_hole", good + "EXDATE:19970902T090000,,19970903T090000", bad_time,
                    "EXDATE ''"},
        RefusedText{"two_start_times", "DTSTART;TZID=A:19970902T090000,19970903T090000", bad_time,
                    "DTSTART"},
        RefusedText{"year_0", "DTSTART;TZID=A:00000902T090000", out_of_range, "0001 to 9999"},
        RefusedText{"floating", "DTSTART:19970902T090000", bad_request, "needs a zone"}),
    [](const auto& info) { return info.param.name; });

TEST(ReadIcalendar, RefusesTwoZonesForOneStart) {
    const auto set = read_icalendar(good, "Asia/Tokyo");
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().code, bad_request);
    EXPECT_EQ(read_icalendar("DTSTART:19970902T090000Z", "Asia/Tokyo").error().code, bad_request);
}

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
