#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "rrule_support.hpp"

/// The examples of RFC 5545, 3.8.5.3, in New York time.
namespace sundial {
namespace {

using namespace std::chrono_literals;

/// New York from 1997 to 2006: forward on the first Sunday of April, back on the last of October.
FakeZone new_york_of_1997() {
    using namespace std::chrono;
    std::vector<FakeZone::Change> changes;
    for (int in = 1997; in <= 2006; ++in) {
        changes.push_back({sys_days{year{in} / April / Sunday[1]} + 7h, -4h});
        changes.push_back({sys_days{year{in} / October / Sunday[std::chrono::last]} + 6h, -5h});
    }
    return FakeZone("America/New_York", -5h, std::move(changes));
}

struct Example {
    std::string name;
    std::string rule;
    std::vector<std::string> first;  // dates at 09:00, or dates and times
    bool ends = false;               // there are no further ones
    std::string start = "19970902T090000";
};
void PrintTo(const Example& example, std::ostream* out) { *out << example.rule; }

class RfcExample : public testing::TestWithParam<Example> {};

TEST_P(RfcExample, IsAnsweredAsPrinted) {
    const auto& [name, rule, first, ends, start] = GetParam();
    const auto set = read_in(new_york_of_1997(), "DTSTART:" + start + "\r\n" + rule + "\r\n");
    ASSERT_TRUE(set) << set.error().message;
    std::vector<std::string> found;
    for (const auto& one : list_after(**set, Instant::min(), first.size() + (ends ? 1 : 0)))
        found.push_back(format_wall(one.nominal));
    std::vector<std::string> expected;
    for (const std::string& text : first)
        expected.push_back(text.size() == 10 ? text + "T09:00:00" : text + ":00");
    EXPECT_THAT(found, testing::ElementsAreArray(expected));
    if (ends) {
        EXPECT_EQ((*set)->count(Instant::min(), Instant::max()), first.size());
    }
}

/// `count` dates, `days` apart.
std::vector<std::string> each(int days, int count, std::chrono::year_month_day from) {
    std::vector<std::string> dates;
    for (int i = 0; i < count; ++i) {
        const std::chrono::sys_days day = std::chrono::sys_days{from} + std::chrono::days{days * i};
        dates.push_back(format_date(day));
    }
    return dates;
}
std::vector<std::string> operator+(std::vector<std::string> one,
                                   const std::vector<std::string>& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}
constexpr auto september_2 = std::chrono::year{1997} / 9 / 2;

const std::vector<std::string> work_hours_of_a_day{
    "1997-09-02T09:00", "1997-09-02T09:20", "1997-09-02T09:40", "1997-09-02T10:00",
    "1997-09-02T10:20", "1997-09-02T10:40", "1997-09-02T11:00", "1997-09-02T11:20",
    "1997-09-02T11:40", "1997-09-02T12:00", "1997-09-02T12:20", "1997-09-02T12:40",
    "1997-09-02T13:00", "1997-09-02T13:20", "1997-09-02T13:40", "1997-09-02T14:00",
    "1997-09-02T14:20", "1997-09-02T14:40", "1997-09-02T15:00", "1997-09-02T15:20",
    "1997-09-02T15:40", "1997-09-02T16:00", "1997-09-02T16:20", "1997-09-02T16:40",
    "1997-09-03T09:00", "1997-09-03T09:20"};
const std::vector<std::string> january_days = each(1, 31, std::chrono::year{1998} / 1 / 1) +
                                              each(1, 31, std::chrono::year{1999} / 1 / 1) +
                                              each(1, 31, std::chrono::year{2000} / 1 / 1);

INSTANTIATE_TEST_SUITE_P(
    Rfc5545, RfcExample,
    testing::Values(
        Example{"daily_ten_times", "RRULE:FREQ=DAILY;COUNT=10", each(1, 10, september_2), true},
        Example{"daily_until_christmas", "RRULE:FREQ=DAILY;UNTIL=19971224T000000Z",
                each(1, 113, september_2), true},
        Example{"every_other_day", "RRULE:FREQ=DAILY;INTERVAL=2", each(2, 47, september_2)},
        Example{"every_ten_days",
                "RRULE:FREQ=DAILY;INTERVAL=10;COUNT=5",
                {"1997-09-02", "1997-09-12", "1997-09-22", "1997-10-02", "1997-10-12"},
                true},
        Example{"january_by_year",
                "RRULE:FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA",
                january_days, true, "19980101T090000"},
        Example{"january_by_day", "RRULE:FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", january_days,
                true, "19980101T090000"},
        Example{"weekly_ten_times", "RRULE:FREQ=WEEKLY;COUNT=10", each(7, 10, september_2), true},
        Example{"weekly_until", "RRULE:FREQ=WEEKLY;UNTIL=19971224T000000Z",
                each(7, 17, september_2), true},
        Example{"every_other_week", "RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU",
                each(14, 13, september_2)},
        Example{"tuesday_and_thursday_until",
                "RRULE:FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH",
                {"1997-09-02", "1997-09-04", "1997-09-09", "1997-09-11", "1997-09-16", "1997-09-18",
                 "1997-09-23", "1997-09-25", "1997-09-30", "1997-10-02"},
                true},
        Example{"tuesday_and_thursday_count",
                "RRULE:FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH",
                {"1997-09-02", "1997-09-04", "1997-09-09", "1997-09-11", "1997-09-16", "1997-09-18",
                 "1997-09-23", "1997-09-25", "1997-09-30", "1997-10-02"},
                true},
        Example{"every_other_week_three_days",
                "RRULE:FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
                {"1997-09-01", "1997-09-03", "1997-09-05", "1997-09-15", "1997-09-17",
                 "1997-09-19", "1997-09-29", "1997-10-01", "1997-10-03", "1997-10-13",
                 "1997-10-15", "1997-10-17", "1997-10-27", "1997-10-29", "1997-10-31",
                 "1997-11-10", "1997-11-12", "1997-11-14", "1997-11-24", "1997-11-26",
                 "1997-11-28", "1997-12-08", "1997-12-10", "1997-12-12", "1997-12-22"},
                true,
                "19970901T090000"},
        Example{"every_other_week_two_days",
                "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
                {"1997-09-02", "1997-09-04", "1997-09-16", "1997-09-18", "1997-09-30", "1997-10-02",
                 "1997-10-14", "1997-10-16"},
                true},
        Example{"first_friday_count",
                "RRULE:FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
                {"1997-09-05", "1997-10-03", "1997-11-07", "1997-12-05", "1998-01-02", "1998-02-06",
                 "1998-03-06", "1998-04-03", "1998-05-01", "1998-06-05"},
                true,
                "19970905T090000"},
        Example{"first_friday_until",
                "RRULE:FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR",
                {"1997-09-05", "1997-10-03", "1997-11-07", "1997-12-05"},
                true,
                "19970905T090000"},
        Example{"first_and_last_sunday",
                "RRULE:FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
                {"1997-09-07", "1997-09-28", "1997-11-02", "1997-11-30", "1998-01-04", "1998-01-25",
                 "1998-03-01", "1998-03-29", "1998-05-03", "1998-05-31"},
                true,
                "19970907T090000"},
        Example{
            "second_to_last_monday",
            "RRULE:FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
            {"1997-09-22", "1997-10-20", "1997-11-17", "1997-12-22", "1998-01-19", "1998-02-16"},
            true,
            "19970922T090000"},
        Example{
            "third_to_last_day",
            "RRULE:FREQ=MONTHLY;BYMONTHDAY=-3",
            {"1997-09-28", "1997-10-29", "1997-11-28", "1997-12-29", "1998-01-29", "1998-02-26"},
            false,
            "19970928T090000"},
        Example{"second_and_fifteenth",
                "RRULE:FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
                {"1997-09-02", "1997-09-15", "1997-10-02", "1997-10-15", "1997-11-02", "1997-11-15",
                 "1997-12-02", "1997-12-15", "1998-01-02", "1998-01-15"},
                true},
        Example{"first_and_last_day",
                "RRULE:FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
                {"1997-09-30", "1997-10-01", "1997-10-31", "1997-11-01", "1997-11-30", "1997-12-01",
                 "1997-12-31", "1998-01-01", "1998-01-31", "1998-02-01"},
                true,
                "19970930T090000"},
        Example{"every_eighteen_months",
                "RRULE:FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
                {"1997-09-10", "1997-09-11", "1997-09-12", "1997-09-13", "1997-09-14", "1997-09-15",
                 "1999-03-10", "1999-03-11", "1999-03-12", "1999-03-13"},
                true,
                "19970910T090000"},
        Example{
            "tuesdays_every_other_month",
            "RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
            {"1997-09-02", "1997-09-09", "1997-09-16", "1997-09-23", "1997-09-30", "1997-11-04",
             "1997-11-11", "1997-11-18", "1997-11-25", "1998-01-06", "1998-01-13", "1998-01-20",
             "1998-01-27", "1998-03-03", "1998-03-10", "1998-03-17", "1998-03-24", "1998-03-31"}},
        Example{"june_and_july",
                "RRULE:FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
                {"1997-06-10", "1997-07-10", "1998-06-10", "1998-07-10", "1999-06-10", "1999-07-10",
                 "2000-06-10", "2000-07-10", "2001-06-10", "2001-07-10"},
                true,
                "19970610T090000"},
        Example{"every_other_year",
                "RRULE:FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
                {"1997-03-10", "1999-01-10", "1999-02-10", "1999-03-10", "2001-01-10", "2001-02-10",
                 "2001-03-10", "2003-01-10", "2003-02-10", "2003-03-10"},
                true,
                "19970310T090000"},
        Example{"days_of_the_year",
                "RRULE:FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
                {"1997-01-01", "1997-04-10", "1997-07-19", "2000-01-01", "2000-04-09", "2000-07-18",
                 "2003-01-01", "2003-04-10", "2003-07-19", "2006-01-01"},
                true,
                "19970101T090000"},
        Example{"twentieth_monday",
                "RRULE:FREQ=YEARLY;BYDAY=20MO",
                {"1997-05-19", "1998-05-18", "1999-05-17"},
                false,
                "19970519T090000"},
        Example{"week_twenty",
                "RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
                {"1997-05-12", "1998-05-11", "1999-05-17"},
                false,
                "19970512T090000"},
        Example{"thursdays_in_march",
                "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
                {"1997-03-13", "1997-03-20", "1997-03-27", "1998-03-05", "1998-03-12", "1998-03-19",
                 "1998-03-26", "1999-03-04", "1999-03-11", "1999-03-18", "1999-03-25"},
                false,
                "19970313T090000"},
        Example{"thursdays_in_summer", "RRULE:FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
                each(7, 13, std::chrono::year{1997} / 6 / 5) +
                    each(7, 13, std::chrono::year{1998} / 6 / 4) +
                    each(7, 13, std::chrono::year{1999} / 6 / 3),
                false, "19970605T090000"},
        Example{"friday_the_thirteenth",
                "EXDATE:19970902T090000\r\nRRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
                {"1998-02-13", "1998-03-13", "1998-11-13", "1999-08-13", "2000-10-13"}},
        Example{"saturday_after_first_sunday",
                "RRULE:FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
                {"1997-09-13", "1997-10-11", "1997-11-08", "1997-12-13", "1998-01-10", "1998-02-07",
                 "1998-03-07", "1998-04-11", "1998-05-09", "1998-06-13"},
                false,
                "19970913T090000"},
        Example{"election_day",
                "RRULE:FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
                {"1996-11-05", "2000-11-07", "2004-11-02"},
                false,
                "19961105T090000"},
        Example{"third_of_three_days",
                "RRULE:FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
                {"1997-09-04", "1997-10-07", "1997-11-06"},
                true,
                "19970904T090000"},
        Example{"second_to_last_weekday",
                "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
                {"1997-09-29", "1997-10-30", "1997-11-27", "1997-12-30", "1998-01-29", "1998-02-26",
                 "1998-03-30"},
                false,
                "19970929T090000"},
        // The RFC prints 15:00 too, but that is later than this UNTIL (13:00 in New York).
        Example{"every_three_hours",
                "RRULE:FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z",
                {"1997-09-02T09:00", "1997-09-02T12:00"},
                true},
        Example{"every_fifteen_minutes",
                "RRULE:FREQ=MINUTELY;INTERVAL=15;COUNT=6",
                {"1997-09-02T09:00", "1997-09-02T09:15", "1997-09-02T09:30", "1997-09-02T09:45",
                 "1997-09-02T10:00", "1997-09-02T10:15"},
                true},
        Example{"every_ninety_minutes",
                "RRULE:FREQ=MINUTELY;INTERVAL=90;COUNT=4",
                {"1997-09-02T09:00", "1997-09-02T10:30", "1997-09-02T12:00", "1997-09-02T13:30"},
                true},
        Example{"work_hours_daily",
                "RRULE:FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40",
                work_hours_of_a_day},
        Example{"work_hours_minutely",
                "RRULE:FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16",
                work_hours_of_a_day},
        Example{"weeks_from_monday",
                "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
                {"1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"},
                true,
                "19970805T090000"},
        Example{"weeks_from_sunday",
                "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
                {"1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"},
                true,
                "19970805T090000"},
        Example{"invalid_dates_are_ignored",
                "RRULE:FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
                {"2007-01-15", "2007-01-30", "2007-02-15", "2007-03-15", "2007-03-30"},
                true,
                "20070115T090000"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sundial
