#include "domain/time/calendar_duration.hpp"

#include <gtest/gtest.h>

#include <string>

#include "domain/time/text.hpp"
#include "support/instants.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;

struct Sum {
    const char* text;
    const char* later;    // than 2027-03-31T12:00:00Z
    const char* earlier;  // than the same
};
void PrintTo(const Sum& sum, std::ostream* out) { *out << sum.text; }

class AddedDuration : public testing::TestWithParam<Sum> {};
TEST_P(AddedDuration, MovesAnInstantInUtc) {
    const Instant instant = at("2027-03-31T12:00:00Z");
    const CalendarDuration by = parse_calendar_duration(GetParam().text).value();
    EXPECT_EQ(format_instant(later(instant, by).value()), GetParam().later);
    EXPECT_EQ(format_instant(earlier(instant, by).value()), GetParam().earlier);
}
INSTANTIATE_TEST_SUITE_P(
    Table, AddedDuration,
    testing::Values(Sum{"PT0S", "2027-03-31T12:00:00Z", "2027-03-31T12:00:00Z"},
                    Sum{"PT1H30M", "2027-03-31T13:30:00Z", "2027-03-31T10:30:00Z"},
                    Sum{"1h30m", "2027-03-31T13:30:00Z", "2027-03-31T10:30:00Z"},
                    Sum{"90s", "2027-03-31T12:01:30Z", "2027-03-31T11:58:30Z"},
                    Sum{"P1D", "2027-04-01T12:00:00Z", "2027-03-30T12:00:00Z"},
                    Sum{"1w2d", "2027-04-09T12:00:00Z", "2027-03-22T12:00:00Z"},
                    Sum{"P1W", "2027-04-07T12:00:00Z", "2027-03-24T12:00:00Z"},
                    Sum{"P1M", "2027-04-30T12:00:00Z", "2027-02-28T12:00:00Z"},
                    Sum{"P1M1D", "2027-05-01T12:00:00Z", "2027-02-27T12:00:00Z"},
                    Sum{"P11M", "2028-02-29T12:00:00Z", "2026-04-30T12:00:00Z"},
                    Sum{"P1Y", "2028-03-31T12:00:00Z", "2026-03-31T12:00:00Z"},
                    Sum{"P1Y2M3W4DT5H6M7S", "2028-06-25T17:06:07Z", "2026-01-06T06:53:53Z"}));

class MalformedDuration : public testing::TestWithParam<const char*> {};
TEST_P(MalformedDuration, IsRefusedWithTheForms) {
    const auto duration = parse_calendar_duration(GetParam());
    ASSERT_FALSE(duration);
    EXPECT_EQ(duration.error().code, TimeErrorCode::bad_interval);
    EXPECT_EQ(duration.error().message, "must be a duration as P1D, P1Y6M, PT15M, 7d or 1h30m");
}
INSTANTIATE_TEST_SUITE_P(Table, MalformedDuration,
                         testing::Values("", "P", "PT", "P1", "P1DT", "PT1D", "P1H", "P-1D", "-P1D",
                                         "P1D1Y", "P1D1D", "P1.5D", "1", "h", "30m1h", "1h1h", "1M",
                                         "1y", "1h 30m", "P1D ", "p1d", "+1h"));

TEST(CalendarDuration, LeadsNowhereBeyondTheCalendar) {
    for (const char* text : {"P9000Y", "P99999999999999999999Y", "P99999999999999999999M",
                             "99999999999999999999w", "99999999999999999999d", "9999999999999h",
                             "P9999999999999999Y9999999999999999M9999999999999999W9999999999999D"
                             "T9999999999999999H9999999999999999M99999999999999999S"}) {
        const CalendarDuration by = parse_calendar_duration(text).value();
        EXPECT_FALSE(later(at("2027-03-31T12:00:00Z"), by)) << text;
        EXPECT_FALSE(earlier(at("2027-03-31T12:00:00Z"), by)) << text;
    }
}

TEST(CalendarDuration, IsAtItsLongestWithLongMonthsAndLeapYears) {
    EXPECT_EQ(longest(parse_calendar_duration("P1Y").value()), days{366});
    EXPECT_EQ(longest(parse_calendar_duration("P14M").value()), days{366 + 62});
    EXPECT_EQ(longest(parse_calendar_duration("P2W1DT1H").value()), days{15} + 1h);
    EXPECT_EQ(longest(parse_calendar_duration("1h30m").value()), 90min);
}

}  // namespace
}  // namespace sundial
