#include "cli/next/show_next.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>

#include "domain/time/text.hpp"
#include "next_support.hpp"

namespace sundial::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Shown {
    int exit_code;
    std::string out, err;
};

Shown shown(const NextOptions& options, bool json = false) {
    std::ostringstream out, err;
    const Instant now = parse_instant("2026-11-21T12:00:00.5Z")->instant;
    const int code = show_next(options, installed_zones(), now, {out, err, json});
    return {code, out.str(), err.str()};
}

/// The fields of the tab-separated output.
std::string plain(const std::string& expression, const ExpressionFlags& flags,
                  const std::string& from, std::uint32_t count) {
    const Shown answer = shown({expression, flags, from, count, true});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return answer.out;
}

TEST(ShowNext, AlignsItsColumns) {
    const Shown answer =
        shown({"30 2 * * *", {.zone = "Europe/Berlin"}, "2026-03-28T00:00:00Z", 3});
    EXPECT_EQ(answer.out,
              "LOCAL, Europe/Berlin     OFFSET  UTC                   NOTE\n"
              "Sat 2026-03-28 02:30:00  +01:00  2026-03-28T01:30:00Z\n"
              "Sun 2026-03-29 03:00:00  +02:00  2026-03-29T01:00:00Z  02:30 does not exist: moved "
              "to the end of the gap\n"
              "Mon 2026-03-30 02:30:00  +02:00  2026-03-30T00:30:00Z\n");
    EXPECT_EQ(answer.err, "");
}

TEST(ShowNext, WritesOneJsonDocument) {
    const Shown answer = shown(
        {"30 2 * * *", {.zone = "Europe/Berlin", .gap = "skip"}, "2026-03-28T00:00:00Z", 3}, true);
    EXPECT_EQ(
        answer.out,
        R"({"zone":"Europe/Berlin","occurrences":[)"
        R"({"local":"2026-03-28T02:30:00","offset":"+01:00","utc":"2026-03-28T01:30:00Z"},)"
        R"({"local":"2026-03-29T02:30:00","utc":null,"note":"02:30 does not exist: skipped"},)"
        R"({"local":"2026-03-30T02:30:00","offset":"+02:00","utc":"2026-03-30T00:30:00Z","note":"clocks went forward by 1 h on 2026-03-29"}]})"
        "\n");
}

TEST(ShowNext, ReportsTheResolutionOfATimeInAGap) {
    const auto note = [](const std::string& gap) {
        return plain("30 2 * * *", {.zone = "Europe/Berlin", .gap = gap}, "2026-03-28T12:00:00Z",
                     1);
    };
    EXPECT_EQ(note("earlier"),
              "Sun 2026-03-29 01:30:00\t+01:00\t2026-03-29T00:30:00Z\t02:30 does not exist: moved "
              "back by 1 h\n");
    EXPECT_EQ(note("later"),
              "Sun 2026-03-29 03:30:00\t+02:00\t2026-03-29T01:30:00Z\t02:30 does not exist: moved "
              "forward by 1 h\n");
    EXPECT_EQ(note("skip"), "Sun 2026-03-29 02:30:00\t-\t-\t02:30 does not exist: skipped\n");
    EXPECT_THAT(plain("15 2 * * *", {.zone = "Australia/Lord_Howe", .gap = "later"},
                      "2026-10-03T00:00:00Z", 1),
                HasSubstr("moved forward by 30 min"));
}

TEST(ShowNext, ReportsThePassOfAnOverlap) {
    const auto note = [](const std::string& overlap, std::uint32_t count) {
        return plain("30 2 * * *", {.zone = "Europe/Berlin", .overlap = overlap},
                     "2026-10-24T12:00:00Z", count);
    };
    EXPECT_THAT(note("earlier", 2),
                AllOf(HasSubstr("2026-10-25T00:30:00Z\tclocks go back: first pass\n"),
                      HasSubstr("2026-10-26T01:30:00Z\tclocks went back by 1 h on 2026-10-25\n")));
    EXPECT_THAT(note("both", 2),
                HasSubstr("2026-10-25T01:30:00Z\tclocks went back: second pass\n"));
    EXPECT_THAT(note("skip", 1), HasSubstr("-\t-\t02:30 occurs twice: skipped\n"));
}

TEST(ShowNext, ReportsTheReplacementOfALeapDay) {
    const auto note = [](const std::string& leap) {
        return plain("yearly 02-29", {.zone = "UTC", .leap = leap}, "2027-01-01T00:00:00Z", 2);
    };
    EXPECT_THAT(note(""), HasSubstr("09:00:00Z\tno 29 February in 2027: on 28 February\n"));
    EXPECT_THAT(note("mar1"), HasSubstr("09:00:00Z\tno 29 February in 2027: on 1 March\n"));
    EXPECT_THAT(note("skip"), AllOf(HasSubstr("-\t-\tno 29 February in 2027: skipped\n"),
                                    HasSubstr("2028-02-29T09:00:00Z\t\n")));
}

TEST(ShowNext, ReadsYearlyDatesInEachForm) {
    for (const char* expression : {"yearly 07-17", "yearly --07-17", "yearly 1987-07-17"}) {
        EXPECT_EQ(plain(expression, {.zone = "Asia/Seoul", .at = "18:30"}, "", 1),
                  "Sat 2027-07-17 18:30:00\t+09:00\t2027-07-17T09:30:00Z\t\n")
            << expression;
    }
}

TEST(ShowNext, CountsAnIntervalFromItsStartOrFromNow) {
    EXPECT_EQ(plain("every PT36H", {.dtstart = "2026-01-17T00:00:00Z"}, "2026-01-20T00:00:00Z", 1),
              "Wed 2026-01-21 12:00:00\t+00:00\t2026-01-21T12:00:00Z\t\n");
    EXPECT_EQ(plain("every PT15M", {.zone = "Asia/Kathmandu"}, "", 1),
              "Sat 2026-11-21 18:00:00\t+05:45\t2026-11-21T12:15:00Z\t\n");
}

TEST(ShowNext, ReadsRrulesAndICalendarTexts) {
    EXPECT_EQ(plain("FREQ=MONTHLY;BYDAY=-1FR",
                    {.zone = "Asia/Tokyo", .dtstart = "2026-11-20T09:00"}, "", 1),
              "Fri 2026-11-27 09:00:00\t+09:00\t2026-11-27T00:00:00Z\t\n");
    EXPECT_EQ(plain("dtstart;tzid=Europe/Rome:20260617T090000\nrrule:freq=weekly;count=2", {},
                    "2026-06-17T07:00:00Z", 9),
              "Wed 2026-06-24 09:00:00\t+02:00\t2026-06-24T07:00:00Z\t\n");
}

TEST(ShowNext, FollowsTheRealClockOfAWildcardJob) {
    const std::string shown =
        plain("0 * * * *", {.zone = "Europe/Berlin"}, "2026-10-24T23:30:00Z", 2);
    EXPECT_THAT(shown, AllOf(HasSubstr("00:00:00Z\tclocks go back: first pass\n"),
                             HasSubstr("01:00:00Z\tclocks went back: second pass\n")));
}

TEST(ShowNext, ReportsThatThereIsNoOccurrence) {
    const Shown answer = shown({"yearly 9999-01-01", {.zone = "UTC"}, "9999-06-01T00:00:00Z"});
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr("nothing occurs after 9999-06-01T00:00:00Z"));
}

struct Explained {
    const char* expression;
    ExpressionFlags flags;
    const char* words;
};
void PrintTo(const Explained& e, std::ostream* out) { *out << e.expression; }
class Explanation : public testing::TestWithParam<Explained> {};
TEST_P(Explanation, IsInPlainWords) {
    std::ostringstream out, err;
    const auto& [expression, flags, words] = GetParam();
    EXPECT_EQ(show_explanation({expression, flags}, {out, err, false}), 0);
    EXPECT_THAT(out.str(), testing::StartsWith(words)) << err.str();
    EXPECT_THAT(out.str(), testing::EndsWith("\n"));
}
INSTANTIATE_TEST_SUITE_P(
    Each, Explanation,
    testing::Values(
        Explained{"30 2 * * SUN", {}, "at 02:30 every Sunday\na fixed time"},
        Explained{"@hourly", {}, "every hour\nfollows real time"},
        Explained{"FREQ=WEEKLY;BYDAY=MO", {}, "every week on Monday\n"},
        Explained{"FREQ=DAILY", {.dtstart = "2026-11-20T09:00"}, "every day at 09:00\n"},
        Explained{"FREQ=DAILY", {.dtstart = "20261120T090000Z"}, "every day at 09:00"},
        Explained{"DTSTART:20261120T090000\nRRULE:FREQ=DAILY", {}, "every day at 09:00\n"},
        Explained{"yearly 02-29",
                  {.leap = "mar1"},
                  "every year on 29 February at 09:00, in common years on 1 March\n"},
        Explained{"yearly 07-17", {.at = "18:30"}, "every year on 17 July at 18:30\n"},
        Explained{"every PT90M", {}, "every 1 hour and 30 minutes of real time\n"},
        Explained{"every PT1H", {}, "every hour of real time\n"},
        Explained{"every PT15M", {}, "every 15 minutes of real time\n"}));

TEST(ShowExplanation, RefusesAnInvalidRule) {
    for (const char* expression :
         {"30 25 * * *", "FREQ=DAYLY", "DTSTART:x", "yearly 02-30", "every day", ""}) {
        std::ostringstream out, err;
        EXPECT_EQ(show_explanation({expression, {}}, {out, err, false}), 2) << expression;
        EXPECT_EQ(out.str(), "");
        EXPECT_NE(err.str(), "");
    }
}

struct Wrong {
    NextOptions options;
    const char* says;
};
void PrintTo(const Wrong& w, std::ostream* out) { *out << w.options.expression; }
class WrongExpression : public testing::TestWithParam<Wrong> {};
TEST_P(WrongExpression, IsRefusedWithACorrection) {
    const Shown answer = shown(GetParam().options);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr(GetParam().says));
}
INSTANTIATE_TEST_SUITE_P(
    Each, WrongExpression,
    testing::Values(
        Wrong{{"30 2 * * *", {}}, "--zone Europe/Berlin"},
        Wrong{{"30 2 * * *", {.zone = "Europe/berlin"}}, "did you mean 'Europe/Berlin'"},
        Wrong{{"30 25 * * *", {.zone = "UTC"}}, "bad_cron"},
        Wrong{{"0 0 30 2 *", {.zone = "UTC"}}, "never_fires"},
        Wrong{{"yearly", {.zone = "UTC"}}, "date is missing"},
        Wrong{{"yearly 02-30", {.zone = "UTC"}}, "no such day"}, Wrong{{"every P1D", {}}, "PT24H"},
        Wrong{{"every PT1H", {.zone = "Mars"}}, "'Mars' is not an IANA zone"},
        Wrong{{"FREQ=DAILY", {.zone = "UTC"}}, "--dtstart"},
        Wrong{{"30 2 * * *", {.zone = "UTC", .gap = "latr"}}, "did you mean 'later'?"},
        Wrong{{"30 2 * * *", {.zone = "UTC", .leap = "skip"}}, "'leap' is not known here"},
        Wrong{{"30 2 * * *", {.zone = "UTC"}, "tomorrow"},
              "--from: 'tomorrow': an instant is written as 2027-05-04T10:11:12Z"},
        Wrong{{"30 2 * * *", {.zone = "UTC"}, "2027-05-04 10:11"}, "as in 2027-05-04T10:11:12Z"},
        Wrong{{"every PT1H", {.dtstart = "tomorrow"}}, "--dtstart: 'tomorrow': an instant"},
        Wrong{{"yearly 07-17", {.zone = "UTC", .at = "9"}}, "--at: '9': a time of day"}));

}  // namespace
}  // namespace sundial::cli
