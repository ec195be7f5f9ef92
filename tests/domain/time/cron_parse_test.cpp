#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include "domain/time/cron.hpp"

namespace sundial {
namespace {

using testing::HasSubstr;

std::uint64_t set_of(std::initializer_list<unsigned> values) {
    std::uint64_t bits = 0;
    for (const unsigned value : values) bits |= std::uint64_t{1} << value;
    return bits;
}

constexpr std::uint64_t all_minutes = (std::uint64_t{1} << 60) - 1;
constexpr std::uint64_t all_hours = (std::uint64_t{1} << 24) - 1;
constexpr std::uint64_t all_dates = 0xffff'fffe;
constexpr std::uint64_t all_months = 0x1ffe;
constexpr std::uint64_t all_weekdays = 0x7f;

CronRule parsed(std::string_view text) {
    const auto rule = parse_cron(text);
    EXPECT_TRUE(rule) << text << ": " << (rule ? "" : rule.error().message);
    return rule ? *rule : CronRule{};
}

// --- sets -------------------------------------------------------------------------------------

struct SetCase {
    std::string_view text;
    std::uint64_t values;
};
void PrintTo(const SetCase& c, std::ostream* out) { *out << c.text; }

class CronMinutes : public testing::TestWithParam<SetCase> {};
TEST_P(CronMinutes, AreReadAsASet) {
    const auto& [text, values] = GetParam();
    EXPECT_EQ(parsed(std::string(text) + " 0 * * *").minutes, values);
    EXPECT_EQ(parsed(std::string(text) + " 0 0 * * *").seconds, values);
}
INSTANTIATE_TEST_SUITE_P(
    All, CronMinutes,
    testing::Values(SetCase{"*", all_minutes}, SetCase{"0", set_of({0})},
                    SetCase{"07", set_of({7})}, SetCase{"59", set_of({59})},
                    SetCase{"5,7,5", set_of({5, 7})}, SetCase{"3-6", set_of({3, 4, 5, 6})},
                    SetCase{"6-6", set_of({6})}, SetCase{"*/20", set_of({0, 20, 40})},
                    SetCase{"*/60", set_of({0})}, SetCase{"*/01", all_minutes},
                    SetCase{"50/4", set_of({50, 54, 58})}, SetCase{"10-20/5", set_of({10, 15, 20})},
                    SetCase{"10-21/5", set_of({10, 15, 20})},
                    SetCase{"58-1", set_of({58, 59, 0, 1})}, SetCase{"50-10/15", set_of({50, 5})},
                    SetCase{"1,*/30,57-0/2", set_of({0, 1, 30, 57, 59})}));

class CronHours : public testing::TestWithParam<SetCase> {};
TEST_P(CronHours, AreReadAsASet) {
    EXPECT_EQ(parsed("0 " + std::string(GetParam().text) + " * * *").hours, GetParam().values);
}
INSTANTIATE_TEST_SUITE_P(All, CronHours,
                         testing::Values(SetCase{"*", all_hours}, SetCase{"23", set_of({23})},
                                         SetCase{"22-2", set_of({22, 23, 0, 1, 2})},
                                         SetCase{"22-4/2", set_of({22, 0, 2, 4})},
                                         SetCase{"*/7", set_of({0, 7, 14, 21})},
                                         SetCase{"20/2", set_of({20, 22})}));

class CronMonths : public testing::TestWithParam<SetCase> {};
TEST_P(CronMonths, AreReadAsASet) {
    EXPECT_EQ(parsed("0 0 1 " + std::string(GetParam().text) + " *").months, GetParam().values);
}
INSTANTIATE_TEST_SUITE_P(All, CronMonths,
                         testing::Values(SetCase{"*", all_months}, SetCase{"12", set_of({12})},
                                         SetCase{"jan,Dec", set_of({1, 12})},
                                         SetCase{"NOV-FEB", set_of({11, 12, 1, 2})},
                                         SetCase{"NOV-2/2", set_of({11, 1})},
                                         SetCase{"*/5", set_of({1, 6, 11})},
                                         SetCase{"FEB/3", set_of({2, 5, 8, 11})}));

class CronDates : public testing::TestWithParam<SetCase> {};
TEST_P(CronDates, AreReadAsASet) {
    EXPECT_EQ(parsed("0 0 " + std::string(GetParam().text) + " * *").days_of_month.dates,
              GetParam().values);
}
INSTANTIATE_TEST_SUITE_P(All, CronDates,
                         testing::Values(SetCase{"*", all_dates}, SetCase{"?", all_dates},
                                         SetCase{"31", set_of({31})},
                                         SetCase{"30-2", set_of({30, 31, 1, 2})},
                                         SetCase{"25-5/2", set_of({25, 27, 29, 31, 2, 4})},
                                         SetCase{"*/15", set_of({1, 16, 31})}));

class CronWeekdays : public testing::TestWithParam<SetCase> {};
TEST_P(CronWeekdays, AreReadAsASet) {
    EXPECT_EQ(parsed("0 0 * * " + std::string(GetParam().text)).days_of_week.weekdays,
              GetParam().values);
}
INSTANTIATE_TEST_SUITE_P(
    All, CronWeekdays,
    testing::Values(SetCase{"*", all_weekdays}, SetCase{"?", all_weekdays},
                    SetCase{"0", set_of({0})}, SetCase{"7", set_of({0})},
                    SetCase{"sun,Wed", set_of({0, 3})}, SetCase{"MON-FRI", set_of({1, 2, 3, 4, 5})},
                    SetCase{"FRI-MON", set_of({5, 6, 0, 1})}, SetCase{"5-7", set_of({5, 6, 0})},
                    SetCase{"FRI-SUN", set_of({5, 6, 0})}, SetCase{"0-7", all_weekdays},
                    SetCase{"1-7", all_weekdays}, SetCase{"7-2", set_of({0, 1, 2})},
                    SetCase{"7-7", set_of({0})}, SetCase{"7-0", set_of({0})},
                    SetCase{"5-7/2", set_of({5, 0})}, SetCase{"*/2", set_of({0, 2, 4, 6})},
                    SetCase{"4/2", set_of({4, 6})}, SetCase{"7/3", set_of({0, 3, 6})},
                    SetCase{"*/7", set_of({0})}));

TEST(CronParse, TheSpecialDaysOfTheMonthStandInLists) {
    const CronDaysOfMonth named = parsed("0 0 1,L,L-3,l-30,15W,31w,lw,5-6 * *").days_of_month;
    EXPECT_EQ(named.dates, set_of({1, 5, 6}));
    EXPECT_EQ(named.before_last, set_of({0, 3, 30}));
    EXPECT_EQ(named.nearest_weekday, set_of({15, 31}));
    EXPECT_TRUE(named.last_weekday);
}

TEST(CronParse, TheSpecialDaysOfTheWeekStandInLists) {
    const CronDaysOfWeek named = parsed("0 0 * * 1,5L,friL,7#1,TUE#5,0l").days_of_week;
    EXPECT_EQ(named.weekdays, set_of({1}));
    EXPECT_EQ(named.last, set_of({5, 0}));
    EXPECT_EQ(named.nth, (std::array<std::uint8_t, 5>{1, 0, 0, 0, 4}));
}

// --- the whole text ---------------------------------------------------------------------------

TEST(CronParse, FiveFieldsMeanTheFirstSecond) {
    EXPECT_EQ(parsed("30 2 * * *"), parsed("0 30 2 * * *"));
    EXPECT_EQ(parsed("  30\t2 *\t \t* *\t"), parsed("30 2 * * *"));
}

TEST(CronParse, MacrosStandForFields) {
    EXPECT_EQ(parsed("@yearly"), parsed("0 0 1 1 *"));
    EXPECT_EQ(parsed("@Annually"), parsed("0 0 1 1 *"));
    EXPECT_EQ(parsed("@monthly"), parsed("0 0 1 * *"));
    EXPECT_EQ(parsed(" @WEEKLY\t"), parsed("0 0 * * 0"));
    EXPECT_EQ(parsed("@daily"), parsed("0 0 * * *"));
    EXPECT_EQ(parsed("@midnight"), parsed("0 0 * * *"));
    EXPECT_EQ(parsed("@hourly"), parsed("0 * * * *"));
}

TEST(CronParse, AnyDayIsWrittenInTwoWays) {
    EXPECT_EQ(parsed("0 0 ? * MON"), parsed("0 0 * * MON"));
    EXPECT_EQ(parsed("0 0 1 * ?"), parsed("0 0 1 * *"));
    EXPECT_EQ(parsed("0 0 ? * ?"), parsed("0 0 * * *"));
}

TEST(CronParse, OneDayOfTwoFieldsIsEnoughUnlessAFieldBeginsWithAStar) {
    EXPECT_TRUE(parsed("0 0 13 * FRI").either_day);
    EXPECT_TRUE(parsed("0 0 1-31 * FRI").either_day);
    EXPECT_TRUE(parsed("0 0 1,*/2 * FRI").either_day);
    EXPECT_TRUE(parsed("0 0 L * 5L").either_day);
    EXPECT_FALSE(parsed("0 0 */2 * FRI").either_day);
    EXPECT_FALSE(parsed("0 0 *,13 * FRI").either_day);
    EXPECT_FALSE(parsed("0 0 13 * */2").either_day);
    EXPECT_FALSE(parsed("0 0 ? * FRI").either_day);
    EXPECT_FALSE(parsed("0 0 13 * ?").either_day);
}

TEST(CronParse, AStarBeginsTheMinuteOrHourOfAWildcardJob) {
    EXPECT_TRUE(parsed("* 2 * * *").wildcard);
    EXPECT_TRUE(parsed("*/5 2 * * *").wildcard);
    EXPECT_TRUE(parsed("0 *,2 * * *").wildcard);
    EXPECT_TRUE(parsed("@hourly").wildcard);
    EXPECT_FALSE(parsed("* 30 2 * * *").wildcard);
    EXPECT_FALSE(parsed("0-59 0-23 * * *").wildcard);
    EXPECT_FALSE(parsed("0,*/2 2 * * *").wildcard);
    EXPECT_FALSE(parsed("@daily").wildcard);
}

// --- errors -----------------------------------------------------------------------------------

struct BadCase {
    std::string_view text;
    std::string_view message;  // a part of it
};
void PrintTo(const BadCase& c, std::ostream* out) { *out << c.text; }

class BadCron : public testing::TestWithParam<BadCase> {};
TEST_P(BadCron, IsRefusedWithTheReason) {
    const auto rule = parse_cron(GetParam().text);
    ASSERT_FALSE(rule);
    EXPECT_EQ(rule.error().code, TimeErrorCode::bad_cron);
    EXPECT_THAT(rule.error().message, HasSubstr(std::string(GetParam().message)));
}
INSTANTIATE_TEST_SUITE_P(
    Fields, BadCron,
    testing::Values(BadCase{"", "has 0 fields; use 5"}, BadCase{" \t", "has 0 fields"},
                    BadCase{"0", "has 1 field;"}, BadCase{"0 6 * *", "has 4 fields"},
                    BadCase{"0 0 0 1 1 ? 2030", "years, commands and comments are not supported"},
                    BadCase{"0 0 * * * # daily", "has 7 fields"},
                    BadCase{"TZ=Asia/Tokyo 0 0 * * *", "the zone is not part of the expression"},
                    BadCase{"cron_tz=UTC 0 0 * * *", "the zone is not part"},
                    BadCase{"0 0 * * *\n", "has a character that cron does not use"},
                    BadCase{"0\n0\n*\n*\n*", "has 1 field;"},
                    BadCase{"0 0 * *\xC2\xA0*", "has 4 fields"}));
INSTANTIATE_TEST_SUITE_P(Macros, BadCron,
                         testing::Values(BadCase{"@reboot", "is not a time"},
                                         BadCase{"@every 5m", "make an interval, as every PT15M"},
                                         BadCase{"@dayly", "did you mean '@daily'?"},
                                         BadCase{"@fortnightly", "there are @yearly, @annually"},
                                         BadCase{"@daily 5", "'@daily' stands alone"},
                                         BadCase{"@", "is unknown"},
                                         BadCase{"@daily * * * *", "stands alone"}));
INSTANTIATE_TEST_SUITE_P(
    Values, BadCron,
    testing::Values(
        BadCase{"60 * * * *", "minute '60' is out of range: 0 to 59"},
        BadCase{"60 0 0 * * *", "second '60' is out of range: 0 to 59"},
        BadCase{"0 24 * * *", "hour '24' is out of range: 0 to 23 (0 is midnight)"},
        BadCase{"0 0 0 * *", "day-of-month '0' is out of range: 1 to 31"},
        BadCase{"0 0 32 * *", "day-of-month '32' is out of range"},
        BadCase{"0 0 1 0 *", "month '0' is out of range: 1 to 12 or JAN to DEC"},
        BadCase{"0 0 1 13 *", "month '13' is out of range"},
        BadCase{"0 0 * * 8", "day-of-week '8' is out of range: 0 to 7 or SUN to SAT (0 and 7"},
        BadCase{"000 0 * * *", "minute '000' has more than two digits"},
        BadCase{"0 0 * * 007", "has more than two digits"},
        BadCase{"-1 0 * * *", "minute '-1' lacks a value"},
        BadCase{"+1 0 * * *", "minute '+1' is not understood"},
        BadCase{"1.5 0 * * *", "is not understood"}, BadCase{"1,,2 0 * * *", "an empty place"},
        BadCase{",1 0 * * *", "an empty place"}, BadCase{"1, 0 * * *", "an empty place"},
        BadCase{"0 0 , * *", "day-of-month has an empty place"},
        BadCase{"0 0 * * MON,", "day-of-week has an empty place"},
        BadCase{"0 0 * * MONDAY", "'MONDAY' is longer than a name of three letters"},
        BadCase{"0 0 * SEPT *", "'SEPT' is longer than a name"},
        BadCase{"0 0 * MON *", "month 'MON' is a day of the week"},
        BadCase{"0 0 * * MAY", "day-of-week 'MAY' is a month"},
        BadCase{"0 JAN * * *", "hour 'JAN' is a month"},
        BadCase{"0 0 * * MO", "day-of-week 'MO' is not understood"},
        BadCase{"H 0 * * *", "Jenkins"}, BadCase{"H/15 * * * *", "Jenkins"},
        BadCase{"H(0-29) * * * *", "Jenkins"}, BadCase{"0~30 0 * * *", "random"},
        BadCase{"0 0 * * \xEF\xBC\x91", "cron does not use"},
        BadCase{"0 0 1\xE2\x80\x93"
                "5 * *",
                "cron does not use"}));
INSTANTIATE_TEST_SUITE_P(
    RangesAndSteps, BadCron,
    testing::Values(BadCase{"1- 0 * * *", "'1-' lacks a value"},
                    BadCase{"- 0 * * *", "'-' lacks a value"},
                    BadCase{"1-2-3 0 * * *", "'2-3' is not understood"},
                    BadCase{"5-60 0 * * *", "'60' is out of range"},
                    BadCase{"*-5 0 * * *", "'*' stands alone"}, BadCase{"** 0 * * *", "'**'"},
                    BadCase{"*/0 0 * * *", "minute '*/0' has an invalid step; use 1 to 60"},
                    BadCase{"*/ 0 * * *", "'*/' has an invalid step"},
                    BadCase{"/5 0 * * *", "'/5' lacks a value"},
                    BadCase{"*/5/5 0 * * *", "has an invalid step"},
                    BadCase{"*/90 * * * *", "1 to 60; for longer distances make an interval"},
                    BadCase{"0 */25 * * *", "hour '*/25' has an invalid step; use 1 to 24"},
                    BadCase{"0 0 */32 * *", "1 to 31"}, BadCase{"0 0 1 */13 *", "1 to 12"},
                    BadCase{"0 0 * * */8", "1 to 7"}, BadCase{"*/-1 0 * * *", "an invalid step"},
                    BadCase{"*/MON 0 * * *", "an invalid step"}));
INSTANTIATE_TEST_SUITE_P(
    SpecialDays, BadCron,
    testing::Values(BadCase{"0 0 * * L", "day-of-week 'L' needs a day, as 5L"},
                    BadCase{"? 0 * * *", "minute '?' is for the day fields"},
                    BadCase{"0 0 1 ? *", "month '?' is for the day fields"},
                    BadCase{"0 0 ?,1 * *", "day-of-month '?' stands alone in its field"},
                    BadCase{"0 0 ?/2 * *", "'?' stands alone"}, BadCase{"0 0 * * ?-1", "'?'"},
                    BadCase{"0 0 L-0 * *", "'L-0' counts back from the last day; use 1 to 30"},
                    BadCase{"0 0 L-31 * *", "use 1 to 30"}, BadCase{"0 0 L- * *", "use 1 to 30"},
                    BadCase{"0 0 L-W * *", "use 1 to 30"}, BadCase{"0 0 L-3W * *", "use 1 to 30"},
                    BadCase{"0 0 L/2 * *", "'L' is not understood"},
                    BadCase{"0 0 L5 * *", "'L5' is not understood"},
                    BadCase{"0 0 1-L * *", "'L' is not understood"},
                    BadCase{"0 0 W * *", "'W' is not a nearest weekday; write 1W to 31W, or LW"},
                    BadCase{"0 0 0W * *", "1W to 31W"}, BadCase{"0 0 32W * *", "1W to 31W"},
                    BadCase{"0 0 1-5W * *", "1W to 31W"}, BadCase{"0 0 WL * *", "'WL'"},
                    BadCase{"0 0 1W/2 * *", "'1W' is not understood"},
                    BadCase{"0 0 5L * *", "day-of-month '5L' is not understood"},
                    BadCase{"0 0 * * 5W", "day-of-week '5W' is not understood"},
                    BadCase{"0 0 * * 8L", "'8' is out of range"},
                    BadCase{"0 0 * * FRI-MONL", "'FRI-MON'"}, BadCase{"0 0 * * LW", "'LW'"},
                    BadCase{"0 0 * * FRI#0", "must say which one of the month: #1 to #5"},
                    BadCase{"0 0 * * FRI#6", "#1 to #5"}, BadCase{"0 0 * * FRI#", "#1 to #5"},
                    BadCase{"0 0 * * 8#1", "'8' is out of range"},
                    BadCase{"0 0 * * #1", "day-of-week lacks a value"},
                    BadCase{"0 0 * * FRI#1#2", "#1 to #5"}, BadCase{"0 0 * * FRI#2/2", "#1 to #5"},
                    BadCase{"0 0 * * 5#L", "#1 to #5"}, BadCase{"0 0 1#1 * *", "'1#1'"},
                    BadCase{"L 0 * * *", "minute 'L'"}, BadCase{"0 0 * L *", "month 'L'"}));

// --- never ------------------------------------------------------------------------------------

class NeverFires : public testing::TestWithParam<std::string_view> {};
TEST_P(NeverFires, IsFoundByReasoning) {
    const auto rule = parse_cron(GetParam());
    ASSERT_FALSE(rule);
    EXPECT_EQ(rule.error().code, TimeErrorCode::never_fires);
    EXPECT_THAT(rule.error().message, HasSubstr("day-of-month"));
}
INSTANTIATE_TEST_SUITE_P(All, NeverFires,
                         testing::Values("0 0 30 2 *", "0 0 31 4,6 *", "0 0 L-30 4 *",
                                         "0 0 L-29 2 *", "0 0 31W 9,11 *", "0 0 30-31 FEB ?",
                                         "0 0 30W 2 */2", "* * * 31 2,4,6,9,11 *"));

class SometimeFires : public testing::TestWithParam<std::string_view> {};
TEST_P(SometimeFires, IsTaken) { EXPECT_TRUE(parse_cron(GetParam())); }
INSTANTIATE_TEST_SUITE_P(All, SometimeFires,
                         testing::Values("0 0 29 2 *", "0 0 30 2 1", "0 0 L-28 2 *", "0 0 29W 2 *",
                                         "0 0 * 2 1#5", "0 0 */28 2 1#5", "0 0 31 * *",
                                         "0 0 L-30 * *"));

TEST(EverFires, TakesEveryMonthToBeginOnEveryWeekday) {
    using namespace std::chrono;
    bool seen[13][32][7] = {};  // by month, length, weekday of the first
    for (year_month month = year{2001} / January; month < year{2401} / January;
         month += months{1}) {
        const weekday first{local_days{month / day{1}}};
        const auto length = static_cast<unsigned>((month / last).day());
        seen[static_cast<unsigned>(month.month())][length][first.c_encoding()] = true;
    }
    for (unsigned month = 1; month <= 12; ++month) {
        const auto longest =
            static_cast<unsigned>((year{2004} / std::chrono::month{month} / last).day());
        for (unsigned weekday = 0; weekday < 7; ++weekday)
            EXPECT_TRUE(seen[month][longest][weekday]);
    }
    for (unsigned weekday = 0; weekday < 7; ++weekday) EXPECT_TRUE(seen[2][28][weekday]);
}

// --- hostile ----------------------------------------------------------------------------------

std::string repeated(std::string_view part, std::size_t size) {
    std::string text;
    while (text.size() < size) text += part;
    return text;
}

TEST(CronParse, AnswersAMebibyteOfAnything) {
    constexpr std::size_t mebibyte = 1 << 20;
    for (const std::string_view part :
         {"*", "1,", "0 ", " ", "\t0", "@", "L,", "5-", "*/", "\xff", "9"}) {
        const auto rule = parse_cron(repeated(part, mebibyte));
        ASSERT_FALSE(rule) << part;
        EXPECT_LT(rule.error().message.size(), 300U) << "quotes no hostile text";
    }
}

TEST(CronParse, TakesAListOfAMebibyte) {
    const std::string list = repeated("1,2-5,*/7,", 1 << 20) + "59";
    EXPECT_EQ(parsed(list + " 0 * * *").minutes,
              set_of({0, 1, 2, 3, 4, 5, 7, 14, 21, 28, 35, 42, 49, 56, 59}));
}

}  // namespace
}  // namespace sundial
