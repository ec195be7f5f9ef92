#include "application/calendars/vtimezone.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using std::chrono::hours;
using std::chrono::March;
using std::chrono::minutes;
using std::chrono::month;
using std::chrono::November;
using std::chrono::October;
using std::chrono::seconds;
using std::chrono::Sunday;
using std::chrono::sys_days;
using std::chrono::year;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string timezone_text(const Zone& zone, sys_days from) {
    IcalText text;
    write_timezone(text, zone, Instant{from});
    return std::move(text).take();
}

using DayOfYear = std::function<sys_days(year)>;

/// Changes on these days at 02:00 on the clock, from 2025 to 2084.
FakeZone with_summer_time(const std::string& name, hours standard, const DayOfYear& forward,
                          const DayOfYear& back) {
    const hours summer = standard + hours{1};
    std::vector<FakeZone::Change> changes;
    for (year y{2025}; y <= year{2084}; ++y) {
        changes.push_back({forward(y) + hours{2} - standard, summer});
        changes.push_back({back(y) + hours{2} - summer, standard});
    }
    return FakeZone(name, standard, std::move(changes));
}

sys_days last_sunday(year y, month m) { return sys_days{y / m / Sunday[std::chrono::last]}; }
sys_days last_sunday_of_march(year y) { return last_sunday(y, March); }
sys_days last_sunday_of_october(year y) { return last_sunday(y, October); }

TEST(VTimezone, HasOneObservanceWithoutChanges) {
    const FakeZone fixed("Asia/Kolkata", minutes{330});
    EXPECT_EQ(timezone_text(fixed, sys_days{year{2027} / std::chrono::January / 5}),
              "BEGIN:VTIMEZONE\r\nTZID:Asia/Kolkata\r\n"
              "BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0530\r\n"
              "TZOFFSETTO:+0530\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n");
}

TEST(VTimezone, BeginsBeforeTheEarliestTime) {
    const FakeZone local("Test/Local", -(hours{4} + minutes{56} + seconds{2}));
    EXPECT_THAT(timezone_text(local, sys_days{year{1960} / std::chrono::January / 2}),
                AllOf(HasSubstr("DTSTART:19600101T190358\r\n"),
                      HasSubstr("TZOFFSETFROM:-045602\r\nTZOFFSETTO:-045602\r\n")));
}

TEST(VTimezone, ListsChangesThatDoNotComeBackForLong) {
    EXPECT_EQ(timezone_text(new_york(), sys_days{year{2026} / std::chrono::February / 1}),
              "BEGIN:VTIMEZONE\r\nTZID:America/New_York\r\n"
              "BEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:-0500\r\n"
              "TZOFFSETTO:-0500\r\nEND:STANDARD\r\n"
              "BEGIN:DAYLIGHT\r\nDTSTART:20260308T020000\r\nTZOFFSETFROM:-0500\r\n"
              "TZOFFSETTO:-0400\r\nRDATE:20270314T020000\r\nEND:DAYLIGHT\r\n"
              "BEGIN:STANDARD\r\nDTSTART:20261101T020000\r\nTZOFFSETFROM:-0400\r\n"
              "TZOFFSETTO:-0500\r\nRDATE:20271107T020000\r\nEND:STANDARD\r\n"
              "END:VTIMEZONE\r\n");
}

TEST(VTimezone, BeginsWithTheOffsetInEffect) {
    EXPECT_THAT(timezone_text(new_york(), sys_days{year{2026} / std::chrono::June / 1}),
                AllOf(HasSubstr("DTSTART:20260308T020000\r\n"), Not(HasSubstr("19700101"))));
}

TEST(VTimezone, SaysYearlyChangesAsRules) {
    const auto europe =
        with_summer_time("Europe/Berlin", hours{1}, last_sunday_of_march, last_sunday_of_october);
    EXPECT_EQ(timezone_text(europe, sys_days{year{2026} / std::chrono::June / 1}),
              "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n"
              "BEGIN:DAYLIGHT\r\nDTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\n"
              "TZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\n"
              "BEGIN:STANDARD\r\nDTSTART:20261025T020000\r\nTZOFFSETFROM:+0200\r\n"
              "TZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\n"
              "END:VTIMEZONE\r\n");
}

TEST(VTimezone, SaysTheWeekOfTheMonth) {
    const auto america = with_summer_time(
        "America/New_York", hours{-5}, [](year y) { return sys_days{y / March / Sunday[2]}; },
        [](year y) { return sys_days{y / November / Sunday[1]}; });
    EXPECT_THAT(timezone_text(america, sys_days{year{2026} / std::chrono::June / 1}),
                AllOf(HasSubstr("DTSTART:20260308T020000\r\n"),
                      HasSubstr("RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3\r\n"),
                      HasSubstr("DTSTART:20261101T020000\r\n"),
                      HasSubstr("RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11\r\n")));
}

/// Israel's summer time begins on the Friday before the last Sunday of March.
TEST(VTimezone, SaysAWeekThatIsNotOneOfTheMonth) {
    const auto israel = with_summer_time(
        "Asia/Jerusalem", hours{2},
        [](year y) { return last_sunday_of_march(y) - std::chrono::days{2}; },
        last_sunday_of_october);
    EXPECT_THAT(
        timezone_text(israel, sys_days{year{2026} / std::chrono::June / 1}),
        AllOf(
            HasSubstr("DTSTART:20260327T020000\r\n"),
            HasSubstr("RRULE:FREQ=YEARLY;BYDAY=FR;BYMONTHDAY=23,24,25,26,27,28,29;BYMONTH=3\r\n")));
}

TEST(VTimezone, SaysARuleThatBeginsLater) {
    const auto moved = with_summer_time(
        "Test/Moved", hours{1},
        [](year y) { return y == year{2026} ? sys_days{y / March / 15} : last_sunday_of_march(y); },
        last_sunday_of_october);
    EXPECT_THAT(
        timezone_text(moved, sys_days{year{2026} / std::chrono::January / 1}),
        AllOf(HasSubstr("BEGIN:DAYLIGHT\r\nDTSTART:20260315T020000\r\nTZOFFSETFROM:+0100\r\n"
                        "TZOFFSETTO:+0200\r\nEND:DAYLIGHT\r\n"
                        "BEGIN:DAYLIGHT\r\nDTSTART:20270328T020000\r\n"),
              HasSubstr("RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\n")));
}

}  // namespace
}  // namespace sundial
