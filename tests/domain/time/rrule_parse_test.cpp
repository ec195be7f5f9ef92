#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>

#include "domain/time/rrule.hpp"

namespace sundial {
namespace {

using std::chrono::local_days;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseRrule, ReadsEveryPart) {
    const auto rule = parse_rrule(
        "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYSECOND=0,60;BYMINUTE=59;BYHOUR=23,1;BYDAY=-1FR,MO,+2MO;"
        "BYMONTHDAY=-31,+1;BYYEARDAY=366;BYMONTH=12,01;BYSETPOS=-366,1;WKST=SU");
    ASSERT_TRUE(rule) << rule.error().message;
    EXPECT_EQ(rule->frequency, Frequency::yearly);
    EXPECT_EQ(rule->interval, 2);
    EXPECT_EQ(rule->count, 10U);
    EXPECT_THAT(rule->by_second, ElementsAre(0, 60));
    EXPECT_THAT(rule->by_minute, ElementsAre(59));
    EXPECT_THAT(rule->by_hour, ElementsAre(1, 23));
    EXPECT_THAT(rule->by_day,
                ElementsAre(RuleDay{0, std::chrono::Monday}, RuleDay{2, std::chrono::Monday},
                            RuleDay{-1, std::chrono::Friday}));
    EXPECT_THAT(rule->by_month_day, ElementsAre(-31, 1));
    EXPECT_THAT(rule->by_year_day, ElementsAre(366));
    EXPECT_THAT(rule->by_month, ElementsAre(1, 12));
    EXPECT_THAT(rule->by_position, ElementsAre(-366, 1));
    EXPECT_EQ(rule->week_start, std::chrono::Sunday);
}

TEST(ParseRrule, LeavesMissingPartsEmpty) {
    RruleRule daily;
    daily.frequency = Frequency::daily;
    EXPECT_EQ(*parse_rrule("FREQ=DAILY"), daily);
}

TEST(ParseRrule, TakesNamesInAnyCaseAndThePropertyName) {
    const auto loud = parse_rrule("FREQ=WEEKLY;BYDAY=MO,TU;WKST=SU");
    const auto quiet = parse_rrule("rrule:freq=weekly;byday=mo,tu;wkst=su");
    ASSERT_TRUE(loud && quiet);
    EXPECT_EQ(*loud, *quiet);
}

TEST(ParseRrule, TakesAPartOnceIntoASortedList) {
    EXPECT_THAT(parse_rrule("FREQ=DAILY;BYHOUR=9,7,9,8,7")->by_hour, ElementsAre(7, 8, 9));
}

TEST(ParseRrule, ReadsTheThreeKindsOfUntil) {
    const auto until = [](const std::string& text) {
        return parse_rrule("FREQ=DAILY;UNTIL=" + text)->until;
    };
    const local_days christmas{std::chrono::year{1997} / 12 / 24};
    using Kind = RuleEnd::Kind;
    EXPECT_EQ(until("19971224T010203Z"),
              (RuleEnd{Kind::instant, christmas + std::chrono::seconds{3723}}));
    EXPECT_EQ(until("19971224T010203"),
              (RuleEnd{Kind::wall, christmas + std::chrono::seconds{3723}}));
    EXPECT_EQ(until("19971224"), (RuleEnd{Kind::day, christmas + std::chrono::seconds{86'399}}));
}

TEST(ParseRrule, BoundsNumbersThatNoCalendarReaches) {
    const auto rule = parse_rrule("FREQ=DAILY;INTERVAL=" + std::string(500, '9') +
                                  ";COUNT=" + std::string(500'000, '9'));
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->interval, largest_rule_number);
    EXPECT_EQ(rule->count, static_cast<std::uint64_t>(largest_rule_number));
}

struct Refused {
    std::string text;
    std::string named;  // in the message: the part, or the valid form
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.text; }

class ParseRruleRefuses : public testing::TestWithParam<Refused> {};

TEST_P(ParseRruleRefuses, AndNamesThePart) {
    const auto rule = parse_rrule(GetParam().text);
    ASSERT_FALSE(rule);
    EXPECT_EQ(rule.error().code, TimeErrorCode::bad_rrule);
    EXPECT_THAT(rule.error().message, HasSubstr(GetParam().named));
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, ParseRruleRefuses,
    testing::Values(Refused{"", "empty part"}, Refused{"RRULE:", "empty part"},
                    Refused{"COUNT=2", "FREQ is missing"}, Refused{"FREQ=DAILY;", "empty part"},
                    Refused{";FREQ=DAILY", "empty part"},
                    Refused{"FREQ=DAILY;;COUNT=2", "empty part"}, Refused{"FREQ", "FREQ is empty"},
                    Refused{"FREQ=", "FREQ is empty"}, Refused{"FREQ=FORTNIGHTLY", "use SECONDLY"},
                    Refused{"FREQ=DAILY;FREQ=DAILY", "FREQ is given twice"},
                    Refused{"FREQ=DAILY;byhour=1;BYHOUR=1", "BYHOUR is given twice"},
                    Refused{"FREQ=DAILY;RSCALE=GREGORIAN", "'RSCALE'"},
                    Refused{"FREQ=DAILY;SKIP=OMIT", "'SKIP'"},
                    Refused{"FREQ=DAILY;X-NAME=1", "'X-NAME'"},
                    Refused{"FREQ=DAILY; COUNT=2", "' COUNT'"},
                    Refused{"FREQ=DAILY\nCOUNT=2", "FREQ='DAILY...'"},
                    Refused{"EXRULE:FREQ=DAILY", "'EXRULE:FREQ'"}));

INSTANTIATE_TEST_SUITE_P(
    Values, ParseRruleRefuses,
    testing::Values(
        Refused{"FREQ=DAILY;INTERVAL=0", "INTERVAL"}, Refused{"FREQ=DAILY;INTERVAL=-1", "INTERVAL"},
        Refused{"FREQ=DAILY;INTERVAL=1.5", "INTERVAL"}, Refused{"FREQ=DAILY;COUNT=0", "COUNT"},
        Refused{"FREQ=DAILY;COUNT=+1", "COUNT"}, Refused{"FREQ=DAILY;COUNT=", "COUNT is empty"},
        Refused{"FREQ=DAILY;BYSECOND=61", "seconds are 0 to 60"},
        Refused{"FREQ=DAILY;BYSECOND=-1", "seconds are 0 to 60"},
        Refused{"FREQ=DAILY;BYMINUTE=60", "minutes are 0 to 59"},
        Refused{"FREQ=DAILY;BYHOUR=24", "hours are 0 to 23"},
        Refused{"FREQ=DAILY;BYHOUR=009", "hours are 0 to 23"},
        Refused{"FREQ=DAILY;BYHOUR=9,", "BYHOUR=''"}, Refused{"FREQ=DAILY;BYHOUR=,9", "BYHOUR=''"},
        Refused{"FREQ=DAILY;BYHOUR=9 ", "BYHOUR='9 '"},
        Refused{"FREQ=DAILY;BYMONTH=0", "months are 1 to 12"},
        Refused{"FREQ=DAILY;BYMONTH=13", "months are 1 to 12"},
        Refused{"FREQ=DAILY;BYMONTH=-1", "months are 1 to 12"},
        Refused{"FREQ=MONTHLY;BYMONTHDAY=0", "days of the month"},
        Refused{"FREQ=MONTHLY;BYMONTHDAY=32", "days of the month"},
        Refused{"FREQ=MONTHLY;BYMONTHDAY=-32", "days of the month"},
        Refused{"FREQ=YEARLY;BYYEARDAY=0", "days of the year"},
        Refused{"FREQ=YEARLY;BYYEARDAY=367", "days of the year"},
        Refused{"FREQ=YEARLY;BYWEEKNO=0", "weeks of the year"},
        Refused{"FREQ=YEARLY;BYWEEKNO=54", "weeks of the year"},
        Refused{"FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", "positions are"},
        Refused{"FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-367", "positions are"},
        Refused{"FREQ=WEEKLY;BYDAY=M", "BYDAY='M'"},
        Refused{"FREQ=WEEKLY;BYDAY=MON", "BYDAY='MON'"},
        Refused{"FREQ=MONTHLY;BYDAY=0MO", "BYDAY='0MO'"},
        Refused{"FREQ=MONTHLY;BYDAY=54MO", "BYDAY='54MO'"},
        Refused{"FREQ=MONTHLY;BYDAY=--1MO", "BYDAY='--1MO'"}, Refused{"FREQ=WEEKLY;WKST=1", "WKST"},
        Refused{"FREQ=WEEKLY;WKST=MO,TU", "WKST"},
        Refused{"FREQ=DAILY;UNTIL=19970230T000000Z", "UNTIL"},
        Refused{"FREQ=DAILY;UNTIL=19970229", "UNTIL"}, Refused{"FREQ=DAILY;UNTIL=1997", "UNTIL"},
        Refused{"FREQ=DAILY;UNTIL=00000101", "UNTIL"},
        Refused{"FREQ=DAILY;UNTIL=1997-12-24", "UNTIL"},
        Refused{"FREQ=DAILY;UNTIL=19971224T240000Z", "UNTIL"},
        Refused{"FREQ=DAILY;UNTIL=19971224T000000+0100", "UNTIL"}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, ParseRruleRefuses,
    testing::Values(Refused{"FREQ=DAILY;COUNT=2;UNTIL=19971224", "COUNT and UNTIL"},
                    Refused{"FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO needs FREQ=YEARLY"},
                    Refused{"FREQ=SECONDLY;BYWEEKNO=1", "BYWEEKNO needs FREQ=YEARLY"},
                    Refused{"FREQ=DAILY;BYYEARDAY=1", "BYYEARDAY"},
                    Refused{"FREQ=WEEKLY;BYYEARDAY=1", "BYYEARDAY"},
                    Refused{"FREQ=MONTHLY;BYYEARDAY=1", "BYYEARDAY"},
                    Refused{"FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY"},
                    Refused{"FREQ=WEEKLY;BYDAY=1MO", "BYDAY with a number"},
                    Refused{"FREQ=HOURLY;BYDAY=-1MO", "BYDAY with a number"},
                    Refused{"FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "does not go with BYWEEKNO"},
                    Refused{"FREQ=DAILY;BYSETPOS=1", "BYSETPOS needs"},
                    Refused{"FREQ=DAILY;BYSETPOS=1;WKST=MO", "BYSETPOS needs"}));

TEST(ParseRrule, CombinationsThatOnlyLookOddAreTaken) {
    for (const char* text :
         {"FREQ=HOURLY;BYYEARDAY=-1", "FREQ=SECONDLY;BYYEARDAY=1", "FREQ=DAILY;BYMONTHDAY=31",
          "FREQ=MONTHLY;BYDAY=53MO", "FREQ=SECONDLY;BYSECOND=0;BYSETPOS=1",
          "FREQ=DAILY;BYDAY=MO;BYSETPOS=9"})
        EXPECT_TRUE(parse_rrule(text)) << text;
}

TEST(ParseRrule, KeepsMessagesShortForAnyInput) {
    const auto rule = parse_rrule("FREQ=" + std::string(1 << 20, 'x'));
    ASSERT_FALSE(rule);
    EXPECT_LT(rule.error().message.size(), 300U);
}

struct Described {
    std::string rule, words;
};
void PrintTo(const Described& described, std::ostream* out) { *out << described.rule; }
class DescribeRrule : public testing::TestWithParam<Described> {};

TEST_P(DescribeRrule, InPlainWords) {
    const auto rule = parse_rrule(GetParam().rule);
    ASSERT_TRUE(rule) << rule.error().message;
    const local_days monday{std::chrono::year{2027} / 3 / 1};
    EXPECT_EQ(describe(*rule, monday + std::chrono::hours{9}), GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(
    Rrule, DescribeRrule,
    testing::Values(
        Described{"FREQ=DAILY", "every day at 09:00"},
        Described{"FREQ=WEEKLY;INTERVAL=2;BYDAY=TH,MO;COUNT=10",
                  "every 2 weeks on Monday and Thursday at 09:00, 10 times"},
        Described{"FREQ=MONTHLY;BYDAY=2WE,-1WE;COUNT=1",
                  "every month on the last Wednesday and the 2nd Wednesday at 09:00, once"},
        Described{
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "every month on Monday, Tuesday, Wednesday, Thursday and Friday at 09:00, only the "
            "last of each month"},
        Described{"FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
                  "every month on the 13th day of the month if it is Friday at 09:00"},
        Described{
            "FREQ=YEARLY;BYMONTH=1,3;BYMONTHDAY=-2;UNTIL=20301224",
            "every year in January and March on the 2nd last day of the month at 09:00, until the "
            "end of 2030-12-24"},
        Described{
            "FREQ=YEARLY;BYWEEKNO=1,22;BYDAY=MO;WKST=SU",
            "every year in the 1st and 22nd week of the year on Monday at 09:00, with weeks that "
            "begin on Sunday"},
        Described{"FREQ=YEARLY;BYYEARDAY=-1;BYHOUR=8,20;BYSECOND=30;UNTIL=20301224T080030Z",
                  "every year on the last day of the year at 08:00:30 and 20:00:30, until "
                  "2030-12-24T08:00:30Z"},
        Described{"FREQ=DAILY;BYHOUR=1,2,3,4;BYMINUTE=0,30",
                  "every day at hours 1, 2, 3 and 4, minutes 0 and 30"},
        Described{"FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10;UNTIL=20301224T080000",
                  "every 20 minutes at hours 9 and 10, until 2030-12-24T08:00:00"}));

}  // namespace
}  // namespace sundial
