#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "domain/time/recurrence_set.hpp"
#include "domain/time/rrule.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

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
const std::string dtstart = "19970902T090000";
const std::string rome = "Europe/Rome";
INSTANTIATE_TEST_SUITE_P(
    Fields, ReadRecurrenceRefuses,
    testing::Values(
        RefusedFields{"no_zone", dtstart, {}, {}, {}, {}, bad_request, "needs a zone"},
        RefusedFields{"two_zones", dtstart + "Z", rome, {}, {}, {}, bad_request, "is UTC by its Z"},
        RefusedFields{"a_zone_with_the_start",
                      "TZID=Europe/Rome:" + dtstart,
                      rome,
                      {},
                      {},
                      {},
                      bad_time,
                      "give its zone separately"},
        RefusedFields{"a_zone_in_the_rule",
                      dtstart,
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
        RefusedFields{"rule", dtstart, rome, "FREQ=DAILY;COUNT=0", {}, {}, bad_rrule, "COUNT"},
        RefusedFields{"rdate", dtstart, rome, {}, {"x"}, {}, bad_time, "rdate 'x'"},
        RefusedFields{
            "rdate_list", dtstart, rome, {}, {dtstart + "," + dtstart}, {}, bad_time, "rdate"},
        RefusedFields{"exdate", dtstart, rome, {}, {}, {"19970902"}, bad_time, "exdate"}),
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

}  // namespace
}  // namespace sundial
