#include <gtest/gtest.h>

#include "domain/time/text.hpp"
#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

constexpr Instant evening = sys_days{year{2027} / 5 / 4} + 22h + 11min + 12s;

TEST(FormatInstant, ShowsAFractionOnlyWhenThereIsOne) {
    EXPECT_EQ(format_instant(evening), "2027-05-04T22:11:12Z");
    EXPECT_EQ(format_instant(evening + 500ms), "2027-05-04T22:11:12.5Z");
    EXPECT_EQ(format_instant(evening + 1us), "2027-05-04T22:11:12.000001Z");
    EXPECT_EQ(format_instant(evening + 120ms), "2027-05-04T22:11:12.12Z");
}

TEST(FormatInstant, CountsBackwardsBefore1970) {
    EXPECT_EQ(format_instant(Instant{-1us}), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(format_instant(earliest_instant), "0001-01-01T00:00:00Z");
}

TEST(FormatInstant, ClampsInstantsOutsideTheRangeOfTexts) {
    EXPECT_EQ(format_instant(never), "9999-12-31T23:59:59Z");
    EXPECT_EQ(format_instant(Instant::min()), "0001-01-01T00:00:00Z");
    EXPECT_EQ(format_instant_millis(never), "9999-12-31T23:59:59.000Z");
    EXPECT_EQ(format_zoned(never, utc_zone()), "9999-12-31T23:59:59+00:00[UTC]");
}

TEST(FormatInstantMillis, CutsToMilliseconds) {
    EXPECT_EQ(format_instant_millis(evening), "2027-05-04T22:11:12.000Z");
    EXPECT_EQ(format_instant_millis(evening + 1'999us), "2027-05-04T22:11:12.001Z");
    EXPECT_EQ(format_instant_millis(Instant{-1us}), "1969-12-31T23:59:59.999Z");
}

TEST(FormatLocalMillis, ShowsTheWallClockWithItsOffset) {
    EXPECT_EQ(format_local_millis(evening + 5ms, new_york()), "2027-05-04T18:11:12.005-04:00");
    EXPECT_EQ(format_local_millis(evening, utc_zone()), "2027-05-04T22:11:12.000+00:00");
    EXPECT_EQ(format_local_millis(evening, FakeZone("Asia/Kathmandu", 5h + 45min)),
              "2027-05-05T03:56:12.000+05:45");
}

TEST(FormatLocalMillis, ShowsSecondsOfAnOffsetWhenItHasSome) {
    const FakeZone mean_time("America/New_York", -(4h + 56min + 2s));
    EXPECT_EQ(format_local_millis(evening, mean_time), "2027-05-04T17:15:10.000-04:56:02");
}

TEST(FormatLocalMillis, MayShowTheYear10000) {
    const FakeZone far_east("Pacific/Kiritimati", 14h);
    EXPECT_EQ(format_local_millis(latest_instant, far_east), "10000-01-01T13:59:59.000+14:00");
}

TEST(FormatZoned, NamesTheZone) {
    EXPECT_EQ(format_zoned(evening, new_york()), "2027-05-04T18:11:12-04:00[America/New_York]");
    EXPECT_EQ(format_zoned(evening + 500ms, new_york()),
              "2027-05-04T18:11:12.5-04:00[America/New_York]");
}

TEST(FormatTimeOfDay, LeavesOutSecondsThatAreZero) {
    EXPECT_EQ(format_time_of_day(TimeOfDay{9h}), "09:00");
    EXPECT_EQ(format_time_of_day(TimeOfDay{9h + 30s}), "09:00:30");
    EXPECT_EQ(format_time_of_day(TimeOfDay{0}), "00:00");
}

TEST(FormatDuration, LeavesOutUnitsThatAreZero) {
    EXPECT_EQ(format_duration(0s), "PT0S");
    EXPECT_EQ(format_duration(90min), "PT1H30M");
    EXPECT_EQ(format_duration(1h + 1s), "PT1H1S");
    EXPECT_EQ(format_duration(48h), "PT48H");
    EXPECT_EQ(format_duration(-5s), "-PT5S");
}

TEST(Texts, AreReadBackAsWritten) {
    const WallTime wall{std::chrono::local_days{year{1992} / 2 / 29} + 9h + 250ms};
    EXPECT_EQ(parse_local(format_wall(wall))->wall, wall);
    EXPECT_EQ(parse_instant(format_instant(evening + 7us))->instant, evening + 7us);
    EXPECT_EQ(parse_instant(format_zoned(evening, new_york()))->instant, evening);
    EXPECT_EQ(*parse_date(format_date(year{1992} / 2 / 29)), year{1992} / 2 / 29);
    EXPECT_EQ(*parse_duration(format_duration(3'725s)), 3'725s);
}

}  // namespace
}  // namespace sundial
