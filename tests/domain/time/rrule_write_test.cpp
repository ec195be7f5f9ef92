#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "domain/time/rrule.hpp"

namespace sundial {
namespace {

class FormattedRrule : public testing::TestWithParam<const char*> {};

TEST_P(FormattedRrule, IsReadAsTheSameRule) {
    const auto rule = parse_rrule(GetParam());
    ASSERT_TRUE(rule);
    const std::string text = format_rrule(*rule);
    EXPECT_EQ(text, GetParam());
    EXPECT_EQ(parse_rrule(text).value(), *rule);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, FormattedRrule,
    testing::Values("FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;WKST=SU",
                    "FREQ=MONTHLY;COUNT=10;BYDAY=-1FR", "FREQ=YEARLY;BYDAY=2MO;BYMONTH=3,11",
                    "FREQ=YEARLY;BYMONTHDAY=-1;BYMONTH=2", "FREQ=YEARLY;BYYEARDAY=60",
                    "FREQ=YEARLY;BYDAY=MO;BYWEEKNO=20", "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1",
                    "FREQ=DAILY;UNTIL=19971224T000000Z;BYSECOND=0,30;BYMINUTE=5;BYHOUR=9",
                    "FREQ=DAILY;UNTIL=19971224T000000", "FREQ=DAILY;UNTIL=19971224",
                    "FREQ=SECONDLY;INTERVAL=90", "FREQ=MINUTELY;INTERVAL=7", "FREQ=HOURLY"));

TEST(FormatRrule, CanHaveItsEndInUtc) {
    using namespace std::chrono;
    const auto rule = parse_rrule("FREQ=DAILY;UNTIL=19971224").value();
    EXPECT_EQ(format_rrule(rule, sys_days{December / 24 / 1997} + hours{22}),
              "FREQ=DAILY;UNTIL=19971224T220000Z");
}

}  // namespace
}  // namespace sundial
