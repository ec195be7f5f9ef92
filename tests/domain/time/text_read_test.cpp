#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "domain/time/text.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The instant as text, or the code of the error.
std::string instant_of(std::string_view text) {
    const auto read = parse_instant(text);
    return read ? format_instant(read->instant) : std::string(to_string(read.error().code));
}

/// The parts as text, `-` for a missing one, or the code of the error.
std::string local_of(std::string_view text) {
    const auto read = parse_local(text);
    if (!read) return std::string(to_string(read.error().code));
    return format_wall(read->wall) + " " + (read->offset ? format_offset(*read->offset) : "-") +
           " " + read->zone.value_or("-");
}

std::string date_of(std::string_view text) {
    const auto read = parse_date(text);
    return read ? format_date(*read) : std::string(to_string(read.error().code));
}

std::string yearly_date_of(std::string_view text) {
    const auto read = parse_yearly_date(text);
    if (!read) return std::string(to_string(read.error().code));
    return (read->from ? std::to_string(static_cast<int>(*read->from)) : "any") + " " +
           std::to_string(static_cast<unsigned>(read->day.month())) + " " +
           std::to_string(static_cast<unsigned>(read->day.day()));
}

std::string time_of_day_of(std::string_view text) {
    const auto read = parse_time_of_day(text);
    return read ? std::to_string(read->count()) : std::string(to_string(read.error().code));
}

std::string duration_of(std::string_view text) {
    const auto read = parse_duration(text);
    return read ? std::to_string(read->count()) : std::string(to_string(read.error().code));
}

struct TextCase {
    std::string_view text;
    std::string_view answer;
};

void expect(std::string (*read)(std::string_view), std::initializer_list<TextCase> cases) {
    for (const TextCase& c : cases) EXPECT_EQ(read(c.text), c.answer) << c.text;
}

TEST(Instants, AreReadInEveryForm) {
    expect(instant_of,
           {{"2027-05-04T10:11:12Z", "2027-05-04T10:11:12Z"},
            {"2027-05-04t10:11:12z", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12+02:00", "2027-05-04T08:11:12Z"},
            {"2027-05-04T10:11:12-00:00", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12-23:59", "2027-05-05T10:10:12Z"},
            {"2027-05-04T10:11:12.5Z", "2027-05-04T10:11:12.5Z"},
            {"2027-05-04T10:11:12.120Z", "2027-05-04T10:11:12.12Z"},
            {"2027-05-04T10:11:12.123456789Z", "2027-05-04T10:11:12.123456Z"},
            {"2027-05-04T10:11:12.000000999Z", "2027-05-04T10:11:12Z"},
            {"1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"},
            {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"},
            {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
            {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
            {"9999-12-31T23:59:59+23:59", "9999-12-31T00:00:59Z"},
            {"2027-05-04T10:11:12Z[Europe/Rome]", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12Z[!Europe/Rome]", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12Z[Europe/Rome][u-ca=gregory]", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12Z[u-ca=iso8601]", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12Z[!u-ca=iso8601]", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12Z[u-ca=hebrew]", "2027-05-04T10:11:12Z"},
            {"2027-05-04T10:11:12Z[_x-1=a-b2][knort=blargel]", "2027-05-04T10:11:12Z"}});
}
TEST(Instants, AreReadStrictly) {
    expect(instant_of, {{"", "bad_time"},
                        {"now", "bad_time"},
                        {"2027-05-04", "bad_time"},
                        {"2027-05-04T10:11:12", "bad_time"},
                        {"2027-05-04T10:11Z", "bad_time"},
                        {"2027-05-04 10:11:12Z", "bad_time"},
                        {" 2027-05-04T10:11:12Z", "bad_time"},
                        {"2027-05-04T10:11:12Z ", "bad_time"},
                        {"2027-05-04T10:11:12 Z", "bad_time"},
                        {"2027-05-04T10:11:12,5Z", "bad_time"},
                        {"2027-05-04T10:11:12.Z", "bad_time"},
                        {"2027-05-04T10:11:12.1234567890Z", "bad_time"},
                        {"2027-05-04T10:11:12+0200", "bad_time"},
                        {"2027-05-04T10:11:12+02", "bad_time"},
                        {"2027-05-04T10:11:12+2:00", "bad_time"},
                        {"2027-05-04T10:11:12+24:00", "bad_time"},
                        {"2027-05-04T10:11:12+02:60", "bad_time"},
                        {"2027-05-04T10:11:12+02:00:00", "bad_time"},
                        {"2027-05-04T10:11:12\xe2\x88\x92"
                         "02:00",
                         "bad_time"},
                        {"2027-05-04T24:00:00Z", "bad_time"},
                        {"2027-05-04T10:60:00Z", "bad_time"},
                        {"2016-12-31T23:59:60Z", "bad_time"},
                        {"2027-05-04T10:11:99Z", "bad_time"},
                        {"2027-02-29T10:11:12Z", "bad_time"},
                        {"1900-02-29T10:11:12Z", "bad_time"},
                        {"2027-13-01T10:11:12Z", "bad_time"},
                        {"2027-00-01T10:11:12Z", "bad_time"},
                        {"2027-05-00T10:11:12Z", "bad_time"},
                        {"2027-04-31T10:11:12Z", "bad_time"},
                        {"20270504T101112Z", "bad_time"},
                        {"27-05-04T10:11:12Z", "bad_time"},
                        {"+2027-05-04T10:11:12Z", "bad_time"},
                        {"12027-05-04T10:11:12Z", "bad_time"},
                        {"-027-05-04T10:11:12Z", "bad_time"},
                        {"2027-5-04T10:11:12Z", "bad_time"},
                        {"\xef\xbc\x92"
                         "027-05-04T10:11:12Z",
                         "bad_time"},
                        {std::string_view("2027-05-04T10:11:12Z\0", 21), "bad_time"}});
}
TEST(Instants, HaveWellFormedSuffixes) {
    expect(instant_of, {{"2027-05-04T10:11:12Z[]", "bad_time"},
                        {"2027-05-04T10:11:12Z[!]", "bad_time"},
                        {"2027-05-04T10:11:12Z[Europe/Rome", "bad_time"},
                        {"2027-05-04T10:11:12Z[Europe/Rome]x", "bad_time"},
                        {"2027-05-04T10:11:12Z [Europe/Rome]", "bad_time"},
                        {"2027-05-04T10:11:12Z[[Europe/Rome]]", "bad_time"},
                        {"2027-05-04T10:11:12Z[Europe/Rome][Europe/Rome]", "bad_time"},
                        {"2027-05-04T10:11:12Z[u-ca=gregory][Europe/Rome]", "bad_time"},
                        {"2027-05-04T10:11:12Z[!u-ca=hebrew]", "bad_time"},
                        {"2027-05-04T10:11:12Z[!knort=blargel]", "bad_time"},
                        {"2027-05-04T10:11:12Z[U-CA=gregory]", "bad_time"},
                        {"2027-05-04T10:11:12Z[u-ca=]", "bad_time"},
                        {"2027-05-04T10:11:12Z[=gregory]", "bad_time"},
                        {"2027-05-04T10:11:12Z[1a=b]", "bad_time"},
                        {"2027-05-04T10:11:12Z[a=b=c]", "bad_time"},
                        {"2027-05-04T10:11:12Z[a=b--c]", "bad_time"},
                        {"2027-05-04T10:11:12Z[a=b-]", "bad_time"},
                        {"2027-05-04T10:11:12Z[a=b c]", "bad_time"}});
}
TEST(Instants, LieInTheYears1To9999) {
    expect(instant_of, {{"0000-01-01T00:00:00Z", "out_of_range"},
                        {"0001-01-01T00:00:00+00:01", "out_of_range"},
                        {"9999-12-31T23:59:59-00:01", "out_of_range"},
                        {"9999-12-31T23:59:59.000001Z", "out_of_range"}});
}

TEST(Instants, DistinguishOffsetAndZone) {
    const auto with_both = parse_instant("2027-05-04T10:11:12+02:00[!Europe/Rome]");
    EXPECT_EQ(with_both->offset, 2h);
    EXPECT_EQ(with_both->zone, "Europe/Rome");

    const auto with_neither = parse_instant("2027-05-04T10:11:12Z");
    EXPECT_EQ(with_neither->offset, std::nullopt);
    EXPECT_EQ(with_neither->zone, std::nullopt);
}

TEST(Locals, AreReadInEveryForm) {
    expect(
        local_of,
        {{"2027-05-04T10:11:12", "2027-05-04T10:11:12 - -"},
         {"2027-05-04t10:11", "2027-05-04T10:11:00 - -"},
         {"2027-05-04T10:11:12.25", "2027-05-04T10:11:12.25 - -"},
         {"2027-05-04T10:11:12+05:45", "2027-05-04T10:11:12 +05:45 -"},
         {"2027-05-04T10:11-03:30[America/St_Johns]",
          "2027-05-04T10:11:00 -03:30 America/St_Johns"},
         {"2027-05-04T10:11:12[Etc/GMT+7]", "2027-05-04T10:11:12 - Etc/GMT+7"},
         {"2027-05-04T10:11:12[!Europe/Rome][u-ca=gregory]", "2027-05-04T10:11:12 - Europe/Rome"},
         {"2027-05-04T10:11:12[+02:00]", "2027-05-04T10:11:12 - +02:00"},  // no zone has it
         {"0001-01-01T00:00", "0001-01-01T00:00:00 - -"},
         {"9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999 - -"}});
}
TEST(Locals, AreReadStrictly) {
    expect(local_of, {{"", "bad_time"},
                      {"2027-05-04", "bad_time"},
                      {"2027-05-04T10", "bad_time"},
                      {"2027-05-04T10:11.5", "bad_time"},
                      {"2027-05-04T10:11:12Z", "bad_time"},
                      {"2027-05-04T10:11:12z[Europe/Rome]", "bad_time"},
                      {"2027-05-04T10:11:12 Europe/Rome", "bad_time"},
                      {"2027-05-04T10:11:60", "bad_time"},
                      {"2027-05-04T24:00", "bad_time"},
                      {"2026-02-29T12:17:00", "bad_time"},
                      {"2027-05-04T10:11:12[u-ca=gregory][Europe/Rome]", "bad_time"},
                      {"0000-12-31T23:59:59", "out_of_range"}});
}

TEST(Dates, AreReadStrictly) {
    expect(date_of, {{"1992-02-29", "1992-02-29"},
                     {"0001-01-01", "0001-01-01"},
                     {"9999-12-31", "9999-12-31"},
                     {"1992-02-30", "bad_time"},
                     {"1987-02-29", "bad_time"},
                     {"1992-2-29", "bad_time"},
                     {"1992-02-29T00:00", "bad_time"},
                     {"1992-02-29 ", "bad_time"},
                     {"--02-29", "bad_time"},
                     {"19920229", "bad_time"},
                     {"0000-02-29", "out_of_range"}});
}

TEST(YearlyDates, MayLackTheirYear) {
    expect(yearly_date_of, {{"1992-02-29", "1992 2 29"},
                            {"--02-29", "any 2 29"},
                            {"--12-31", "any 12 31"},
                            {"--02-30", "bad_time"},
                            {"--00-01", "bad_time"},
                            {"--01-00", "bad_time"},
                            {"--13-01", "bad_time"},
                            {"-02-29", "bad_time"},
                            {"--0229", "bad_time"},
                            {"--02-29 ", "bad_time"},
                            {"1987-02-29", "bad_time"},
                            {"0000-01-01", "out_of_range"}});
}

TEST(TimesOfDay, AreReadStrictly) {
    expect(time_of_day_of, {{"09:00", "32400"},
                            {"00:00:00", "0"},
                            {"23:59:59", "86399"},
                            {"24:00", "bad_time"},
                            {"23:60", "bad_time"},
                            {"23:59:60", "bad_time"},
                            {"9:00", "bad_time"},
                            {"09:00:0", "bad_time"},
                            {"09:00:00.5", "bad_time"},
                            {"09", "bad_time"},
                            {"", "bad_time"},
                            {"09:00Z", "bad_time"}});
}

TEST(Durations, AreExact) {
    expect(duration_of, {{"PT15M", "900"},
                         {"PT1H30M", "5400"},
                         {"PT1H30S", "3630"},
                         {"PT24H", "86400"},
                         {"PT0S", "0"},
                         {"PT90M", "5400"},
                         {"PT876600H", "3155760000"},
                         {"PT876600H1S", "bad_interval"},
                         {"PT3155760001S", "bad_interval"},
                         {"PT99999999999999999999999H", "bad_interval"},
                         {"PT", "bad_interval"},
                         {"P1D", "bad_interval"},
                         {"P1DT1H", "bad_interval"},
                         {"P1W", "bad_interval"},
                         {"PT1M1H", "bad_interval"},
                         {"PT1M1M", "bad_interval"},
                         {"PT1.5S", "bad_interval"},
                         {"PT-1S", "bad_interval"},
                         {"-PT1S", "bad_interval"},
                         {"pt1s", "bad_interval"},
                         {"PT1", "bad_interval"},
                         {"PTS", "bad_interval"},
                         {" PT1S", "bad_interval"},
                         {"", "bad_interval"}});
}

TEST(Messages, QuoteTheTextAndACorrection) {
    EXPECT_EQ(parse_date("1987-02-29").error().message,
              "'1987-02-29': the calendar has no such day");
}

/// Each error message shows a complete valid text.
TEST(Messages, ShowAWholeInstant) {
    for (const char* text :
         {"", "tomorrow", "now-1h", "2027-05-04", "2027-05-04 10:11:12Z", "2027-05-04T10",
          "2027-05-04T10:11Z", "2027-05-04T10:11:12", "20270504T101112Z"}) {
        const TimeError error = parse_instant(text).error();
        EXPECT_EQ(error.code, TimeErrorCode::bad_time) << text;
        EXPECT_THAT(error.message, HasSubstr("2027-05-04T10:11:12Z"));
        EXPECT_THAT(error.message, StartsWith("'" + std::string(text) + "': "));
    }
    EXPECT_EQ(parse_instant("tomorrow").error().message,
              "'tomorrow': an instant is written as 2027-05-04T10:11:12Z or "
              "2027-05-04T10:11:12+02:00 (RFC 3339)");
}
TEST(Messages, ShowAWholeLocalTime) {
    for (const char* text : {"", "tomorrow", "2027-05-04", "2027-05-04 10:11", "2027-05-04T10"}) {
        const std::string message = parse_local(text).error().message;
        EXPECT_THAT(message, HasSubstr("2027-05-04T10:11:12")) << text;
        EXPECT_THAT(message, Not(HasSubstr("12Z"))) << text;
    }
}

TEST(Messages, DistinguishCalendarUnitsFromMalformedText) {
    for (const char* text : {"P1D", "P2W", "P1M", "P1Y6M", "P1DT12H", "PT1D"}) {
        const std::string message = parse_duration(text).error().message;
        EXPECT_THAT(message, HasSubstr("days, weeks, months and years")) << text;
        EXPECT_THAT(message, HasSubstr("PT24H")) << text;
    }
    for (const char* text : {"", "P", "P1", "PT", "PT1", "1d", "day", "PT1.5S"}) {
        const std::string message = parse_duration(text).error().message;
        EXPECT_THAT(message, HasSubstr("whole hours, minutes and seconds")) << text;
        EXPECT_THAT(message, HasSubstr("PT15M")) << text;
    }
}

TEST(Messages, DoNotQuoteLongOrUnprintableText) {
    EXPECT_THAT(parse_date(std::string(100'000, 'x')).error().message, Not(HasSubstr("xx")));
    EXPECT_THAT(parse_date("1987\n").error().message, Not(HasSubstr("\n")));
    EXPECT_THAT(parse_date("1987\xff").error().message, Not(HasSubstr("\xff")));
}

}  // namespace
}  // namespace sundial
