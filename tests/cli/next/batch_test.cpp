#include "cli/next/batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <ctime>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "next_support.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string answer(std::string_view line) { return answer_line(line, installed_zones()); }

// --- responses

struct AnswerCase {
    const char* name;
    const char* request;
    const char* answer;
};
void PrintTo(const AnswerCase& c, std::ostream* out) { *out << c.request; }
class Answer : public testing::TestWithParam<AnswerCase> {};
TEST_P(Answer, IsAsSpecified) { EXPECT_EQ(answer(GetParam().request), GetParam().answer); }

INSTANTIATE_TEST_SUITE_P(
    Examples, Answer,
    testing::Values(
        AnswerCase{
            "local",
            R"({"id":1,"kind":"local","local":"2026-03-08T02:30:00","zone":"America/New_York","gap":"later"})",
            R"({"id":1,"utc":"2026-03-08T07:30:00Z","resolution":"gap"})"},
        AnswerCase{
            "local_skipped",
            R"({"kind":"local","local":"2026-03-08T02:30:00","zone":"America/New_York","gap":"skip"})",
            R"({"utc":null,"resolution":"gap"})"},
        AnswerCase{
            "yearly",
            R"({"id":2,"kind":"yearly","date":"1992-02-29","zone":"Europe/Paris","leap":"mar1","after":"2026-01-01T00:00:00Z","count":3})",
            R"({"id":2,"utc":["2026-03-01T08:00:00Z","2027-03-01T08:00:00Z","2028-02-29T08:00:00Z"]})"},
        AnswerCase{
            "cron",
            R"({"id":3,"kind":"cron","expr":"30 2 * * *","zone":"America/New_York","after":"2026-03-07T12:00:00Z","count":2})",
            R"({"id":3,"utc":["2026-03-08T07:00:00Z","2026-03-09T06:30:00Z"]})"},
        AnswerCase{
            "icalendar",
            R"({"id":4,"kind":"rrule","ical":"DTSTART;TZID=America/New_York:19970902T090000\nRRULE:FREQ=DAILY;COUNT=2","count":9})",
            R"({"id":4,"utc":["1997-09-02T13:00:00Z","1997-09-03T13:00:00Z"]})"},
        AnswerCase{
            "rrule_with_dates",
            R"({"kind":"rrule","dtstart":"1997-09-02T09:00","zone":"America/New_York","rrule":"FREQ=DAILY;COUNT=3","rdate":["19970902T170000"],"exdate":["19970903T090000"],"count":9})",
            R"({"utc":["1997-09-02T13:00:00Z","1997-09-02T21:00:00Z","1997-09-04T13:00:00Z"]})"},
        AnswerCase{
            "misfire_of_an_rrule",
            R"({"kind":"misfire","schedule":{"kind":"rrule","dtstart":"20260101T090000Z","rrule":"FREQ=DAILY"},"last":"2026-01-01T09:00:00Z","now":"2026-01-04T00:00:00Z"})",
            R"({"fire":["2026-01-03T09:00:00Z"],"dropped":1,"next":"2026-01-04T09:00:00Z"})"},
        AnswerCase{"instant", R"({"kind":"instant","instant":"2027-05-04T10:11:12.50+02:00"})",
                   R"({"utc":"2027-05-04T08:11:12.5Z"})"},
        AnswerCase{
            "interval_from_its_start",
            R"({"kind":"interval","start":"2026-01-17T00:00:00.25Z","every":"PT1H","count":2})",
            R"({"utc":["2026-01-17T00:00:00.25Z","2026-01-17T01:00:00.25Z"]})"},
        AnswerCase{"interval_to_the_end_of_time",
                   R"({"kind":"interval","start":"9999-12-31T23:00:00Z","every":"PT1H","count":2})",
                   R"({"utc":["9999-12-31T23:00:00Z"]})"},
        AnswerCase{
            "after_the_end",
            R"({"kind":"interval","start":"9999-12-31T23:00:00Z","every":"PT1H","after":"9999-12-31T23:30:00Z"})",
            R"({"utc":[]})"},
        AnswerCase{
            "misfire_once",
            R"({"kind":"misfire","schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            R"({"fire":["2026-01-18T06:00:00Z"],"dropped":4,"next":"2026-01-18T12:00:00Z"})"},
        AnswerCase{
            "misfire_of_an_instant",
            R"({"kind":"misfire","schedule":{"kind":"instant","instant":"2026-01-17T06:00:00Z"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            R"({"fire":["2026-01-17T06:00:00Z"],"dropped":0,"next":null})"},
        AnswerCase{
            "misfire_of_a_skipped_local_time",
            R"({"kind":"misfire","schedule":{"kind":"local","local":"2026-03-08T02:30","zone":"America/New_York","gap":"skip"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            R"({"fire":[],"dropped":0,"next":null})"},
        AnswerCase{
            "misfire_with_everything",
            R"({"kind":"misfire","policy":"all","window":"PT24H","grace":"PT0S","limit":2,"schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            R"({"fire":["2026-01-18T00:00:00Z","2026-01-18T06:00:00Z"],"dropped":3,"next":"2026-01-18T12:00:00Z"})"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Answers, NameTheReleaseOfTheTzDatabase) {
    EXPECT_EQ(answer(R"({"kind":"tzdb"})"),
              R"({"tzdb":")" + installed_zones().current()->release() + R"("})");
}

TEST(Answers, EchoTheIdAsItWas) {
    for (const char* id : {"7", "-1", "9223372036854775807", "18446744073709551615", R"("")",
                           R"("a\"b\\c\n")", R"("Zürich")"}) {
        EXPECT_THAT(answer(R"({"id":)" + std::string(id) + R"(,"kind":"tzdb"})"),
                    StartsWith(R"({"id":)" + std::string(id) + R"(,"tzdb")"));
        EXPECT_THAT(answer(R"({"kind":"none","id":)" + std::string(id) + "}"),
                    StartsWith(R"({"id":)" + std::string(id) + R"(,"error")"));
    }
}

// --- errors

struct Refusal {
    const char* request;
    const char* code;
    const char* says;
};
void PrintTo(const Refusal& r, std::ostream* out) { *out << r.request; }
class Refused : public testing::TestWithParam<Refusal> {};
TEST_P(Refused, HasACodeAndACorrection) {
    const json::value reply = json::parse(answer(GetParam().request));
    const json::object& error = reply.at("error").as_object();
    EXPECT_EQ(error.at("code").as_string(), GetParam().code) << reply;
    EXPECT_THAT(std::string(error.at("message").as_string()), HasSubstr(GetParam().says));
    EXPECT_EQ(reply.as_object().size(), 1U) << reply;
}

INSTANTIATE_TEST_SUITE_P(
    Lines, Refused,
    testing::Values(Refusal{"no JSON", "bad_json", "not JSON"},
                    Refusal{"{\"id\":1", "bad_json", "ends before the value is complete"},
                    Refusal{R"({"id":1,"kind":"tzdb"} x)", "bad_json", "text after the value"},
                    Refusal{R"({"id":1,"kind":"tzdb","kind":"tzdb"})", "bad_json", "'kind'"},
                    Refusal{"   ", "bad_json", "before the value is complete"},
                    Refusal{"\"\xff\"", "bad_json", "UTF-8"},
                    Refusal{"[]", "bad_request", "object"}, Refusal{"7", "bad_request", "object"},
                    Refusal{"null", "bad_request", "object"}));

INSTANTIATE_TEST_SUITE_P(
    Fields, Refused,
    testing::Values(
        Refusal{"{}", "bad_request", "kind is missing"},
        Refusal{R"({"kind":7})", "bad_request", "kind must be a string"},
        Refusal{R"({"kind":"yaerly"})", "bad_request", "did you mean 'yearly'?"},
        Refusal{R"({"kind":"tzdb","id":1.5})", "bad_request", "id must be"},
        Refusal{R"({"kind":"tzdb","id":null})", "bad_request", "id must be"},
        Refusal{R"({"kind":"tzdb","zone":"UTC"})", "bad_request", "takes id, kind"},
        Refusal{R"({"kind":"instant"})", "bad_request", "instant is missing"},
        Refusal{R"({"kind":"instant","instant":7})", "bad_request", "instant must be a string"},
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00","zone":"UTC","overlaps":"later"})",
                "bad_request", "did you mean 'overlap'?"},
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00","zone":null})", "bad_request",
                "zone must be a string"},
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00"})", "bad_request",
                "local: a local time needs a zone"},
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00[UTC]","zone":"Etc/UTC"})",
                "bad_request", "must be equal"},
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00","zone":"UTC","gap":"latr"})",
                "bad_request", "did you mean 'later'?"},
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00","zone":"UTC","overlap":"both"})",
                "bad_request", "overlap: 'both' is not a policy here"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-01-01T00:00:00Z","gap":"reject"})",
            "bad_request", "compatible, earlier, later, boundary, skip"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-01-01T00:00:00Z","leap":"feb29"})",
            "bad_request", "feb28"},
        Refusal{R"({"kind":"yearly","date":"--07-01","zone":"UTC"})", "bad_request",
                "after is missing"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-01-01T00:00:00Z","count":0})",
            "bad_request", "count must be an integer from 1 to 10000"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-01-01T00:00:00Z","count":10001})",
            "bad_request", "count must be"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-01-01T00:00:00Z","count":2.0})",
            "bad_request", "count must be"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-01-01T00:00:00Z","count":"2"})",
            "bad_request", "count must be"},
        Refusal{
            R"({"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT1H","count":18446744073709551615})",
            "bad_request", "count must be"},
        Refusal{R"({"kind":"rrule","rrule":"FREQ=DAILY"})", "bad_request", "dtstart: missing"},
        Refusal{R"({"kind":"rrule","dtstart":"20260101T090000","rrule":"FREQ=DAILY"})",
                "bad_request", "needs a zone"},
        Refusal{R"({"kind":"rrule","dtstart":"20260101T090000Z","zone":"Europe/Rome"})",
                "bad_request", "leave out one"},
        Refusal{R"({"kind":"rrule","dtstart":"20260101T090000Z","rdate":"20260101T090000Z"})",
                "bad_request", "rdate must be a list of strings"},
        Refusal{R"({"kind":"rrule","dtstart":"20260101T090000Z","rdate":[7]})", "bad_request",
                "rdate must be a list of strings"},
        Refusal{
            R"({"kind":"rrule","dtstart":"20260101T090000Z","ical":"DTSTART:20260101T090000Z"})",
            "bad_request", "dtstart: ical already has it"}));

INSTANTIATE_TEST_SUITE_P(
    Misfires, Refused,
    testing::Values(
        Refusal{R"({"kind":"misfire","schedule":7,"last":"","now":""})", "bad_request",
                "schedule must be an object"},
        Refusal{R"({"kind":"misfire","schedule":{},"last":"","now":""})", "bad_request",
                "schedule: kind is missing"},
        Refusal{R"({"kind":"misfire","schedule":{"kind":"tzdb"},"last":"","now":""})",
                "bad_request", "schedule: kind 'tzdb' is not known here"},
        Refusal{R"({"kind":"misfire","schedule":{"kind":"misfire"},"last":"","now":""})",
                "bad_request", "instant, local, yearly"},
        Refusal{
            R"({"kind":"misfire","schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H","count":2},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            "bad_request", "schedule: the field 'count' is not known here"},
        Refusal{
            R"({"kind":"misfire","schedule":{"kind":"yearly","date":"--07-01","zone":"Europe/paris"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            "unknown_zone", "schedule.zone: 'Europe/paris'"},
        Refusal{
            R"({"kind":"misfire","schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H"},"last":"yesterday","now":"2026-01-18T07:00:00Z"})",
            "bad_time", "last: 'yesterday'"},
        Refusal{
            R"({"kind":"misfire","policy":"both","schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            "bad_request", "policy: 'both' is not a policy here"},
        Refusal{
            R"({"kind":"misfire","misfire":"once","schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            "bad_request", "'misfire' is not known here"},
        Refusal{
            R"({"kind":"misfire","window":"P1D","schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            "bad_interval", "window: 'P1D'"},
        Refusal{
            R"({"kind":"misfire","limit":0,"schedule":{"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT6H"},"last":"2026-01-17T00:00:00Z","now":"2026-01-18T07:00:00Z"})",
            "bad_request", "limit must be"}));

INSTANTIATE_TEST_SUITE_P(
    Times, Refused,
    testing::Values(
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00","zone":"Europe/paris"})",
                "unknown_zone", "zone: 'Europe/paris' is not an IANA zone; did you mean"},
        Refusal{R"({"kind":"local","local":"2026-07-01T12:17:00[CEST]"})", "unknown_zone",
                "local: 'CEST'"},
        Refusal{R"({"kind":"instant","instant":"2026-07-01T12:17:00Z[CEST]"})", "unknown_zone",
                "instant: 'CEST'"},
        Refusal{R"({"kind":"instant","instant":"2026-02-30T00:00:00Z"})", "bad_time",
                "no such day"},
        Refusal{R"({"kind":"instant","instant":"0000-01-01T00:00:00Z"})", "out_of_range",
                "0001 to 9999"},
        Refusal{R"({"kind":"instant","instant":"9999-12-31T23:59:59-01:00"})", "out_of_range",
                "9999"},
        Refusal{R"({"kind":"instant","instant":"2027-05-04T10:11:12+01:00[Europe/Rome]"})",
                "offset_mismatch", "+02:00"},
        Refusal{R"({"kind":"local","local":"2027-05-04T10:11:12+01:00","zone":"Europe/Rome"})",
                "offset_mismatch", "+02:00"},
        Refusal{R"({"kind":"local","local":"0001-01-01T00:00:00","zone":"Asia/Tokyo"})",
                "out_of_range", "0001"},
        Refusal{
            R"({"kind":"local","local":"2026-03-08T02:30:00","zone":"America/New_York","gap":"reject"})",
            "nonexistent_time", "does not exist"},
        Refusal{
            R"({"kind":"local","local":"2026-11-01T01:17:00","zone":"America/New_York","overlap":"reject"})",
            "ambiguous_time", "occurs twice"},
        Refusal{
            R"({"kind":"yearly","date":"2026-02-29","zone":"UTC","after":"2026-01-01T00:00:00Z"})",
            "bad_time", "date: '2026-02-29'"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","time":"24:00","zone":"UTC","after":"2026-01-01T00:00:00Z"})",
            "bad_time", "time: '24:00'"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-01-01T00:00:00+01:00[Europe/Rome]","gap":"?"})",
            "bad_request", "gap"},
        Refusal{
            R"({"kind":"yearly","date":"--07-01","zone":"UTC","after":"2026-07-01T00:00:00+01:00[Europe/Rome]"})",
            "offset_mismatch", "after: "},
        Refusal{
            R"({"kind":"yearly","date":"9999-12-31","time":"23:00","zone":"America/Lima","after":"2026-07-01T00:00:00Z"})",
            "never_fires", "never fires"},
        Refusal{
            R"({"kind":"cron","expr":"0 25 * * *","zone":"UTC","after":"2026-07-01T00:00:00Z"})",
            "bad_cron", "expr: "},
        Refusal{
            R"({"kind":"cron","expr":"0 0 30 2 *","zone":"UTC","after":"2026-07-01T00:00:00Z"})",
            "never_fires", "expr: "},
        Refusal{R"({"kind":"rrule","dtstart":"20260101T090000Z","rrule":"FREQ=DAYLY"})",
                "bad_rrule", "rrule: "},
        Refusal{R"({"kind":"rrule","ical":"RRULE:FREQ=DAILY"})", "bad_rrule", "ical: "},
        Refusal{R"({"kind":"rrule","dtstart":"20260101","zone":"UTC"})", "bad_time", "dtstart"},
        Refusal{R"({"kind":"rrule","dtstart":"20260101T090000","zone":"UTC","exdate":["never"]})",
                "bad_time", "exdate"},
        Refusal{R"({"kind":"rrule","dtstart":"20260101T090000","zone":"Mars"})", "unknown_zone",
                "'Mars'"},
        Refusal{
            R"({"kind":"rrule","dtstart":"20260101T090000Z","rrule":"FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=31"})",
            "never_fires", ""},
        Refusal{R"({"kind":"interval","start":"2026-01-17T00:00:00Z","every":"P1D"})",
                "bad_interval", "every: 'P1D'"},
        Refusal{R"({"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT0S"})",
                "bad_interval", "at least PT1S"},
        Refusal{R"({"kind":"interval","start":"2026-01-17T00:00:00","every":"PT1S"})", "bad_time",
                "start: "}));

// --- lines

std::vector<std::string> answers(const std::string& input) {
    std::istringstream in(input);
    std::ostringstream out;
    answer_lines(in, out, installed_zones());
    std::vector<std::string> lines;
    std::istringstream answered(out.str());
    for (std::string line; std::getline(answered, line);) lines.push_back(line);
    EXPECT_TRUE(out.str().empty() || out.str().ends_with('\n'));
    return lines;
}

TEST(AnswerLines, AnswersEachLineThatIsNotEmptyInOrder) {
    EXPECT_THAT(answers("\n{\"id\":1,\"kind\":\"?\"}\n\r\n\n{\"id\":2,\"kind\":\"?\"}\r\nx\n"
                        "{\"id\":3,\"kind\":\"?\"}"),
                ElementsAre(StartsWith(R"({"id":1,)"), StartsWith(R"({"id":2,)"),
                            HasSubstr("bad_json"), StartsWith(R"({"id":3,)")));
    EXPECT_THAT(answers(""), ElementsAre());
    EXPECT_THAT(answers("\n\n"), ElementsAre());
}

std::string of_length(std::size_t length) {
    const std::string request = R"({"id":1,"kind":"tzdb"})";
    return request + std::string(length - request.size(), ' ');
}

TEST(AnswerLines, AcceptsALineOfAMebibyteAndRefusesALongerOne) {
    for (const char* end : {"\n", "\r\n", ""}) {
        EXPECT_THAT(answers(of_length(longest_line) + end), ElementsAre(HasSubstr("tzdb")));
        EXPECT_THAT(answers(of_length(longest_line + 1) + end),
                    ElementsAre(HasSubstr("at most 1048576 bytes")));
    }
    EXPECT_THAT(answers(of_length(5 * longest_line) + "\n" + of_length(100)),
                ElementsAre(HasSubstr("bad_request"), HasSubstr("tzdb")));
}

/// Returns its text in pieces, and records the output at each further read.
class Slow final : public std::streambuf {
public:
    Slow(std::vector<std::string> pieces, const std::ostringstream& answers)
        : pieces_(std::move(pieces)), answers_(answers) {}
    std::vector<std::string> answered_before;

private:
    int_type underflow() override {
        answered_before.push_back(answers_.str());
        if (next_ == pieces_.size()) return traits_type::eof();
        std::string& piece = pieces_[next_++];
        setg(piece.data(), piece.data(), piece.data() + piece.size());
        return traits_type::to_int_type(piece.front());
    }
    std::vector<std::string> pieces_;
    const std::ostringstream& answers_;
    std::size_t next_ = 0;
};

/// Copies to `seen` only flushed output.
class Buffered final : public std::streambuf {
public:
    explicit Buffered(std::ostringstream& seen) : seen_(seen) {}

private:
    int_type overflow(int_type c) override {
        kept_.push_back(traits_type::to_char_type(c));
        return c;
    }
    int sync() override {
        seen_ << kept_;
        kept_.clear();
        return 0;
    }
    std::ostringstream& seen_;
    std::string kept_;
};

TEST(AnswerLines, FlushesAnswersBeforeItWaitsForInput) {
    std::ostringstream seen;
    Slow slow({"[]\n[]\n[", "]\n"}, seen);
    Buffered buffered(seen);
    std::istream in(&slow);
    std::ostream out(&buffered);
    answer_lines(in, out, installed_zones());
    const auto answered = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    ASSERT_EQ(slow.answered_before.size(), 3U);
    EXPECT_EQ(answered(slow.answered_before.at(1)), 2);
    EXPECT_EQ(answered(slow.answered_before.at(2)), 3);
}

// --- hostile lines: each answered within a second (the limit is ten, for a busy machine)

TEST(HostileLine, IsAnsweredWithinASecond) {
    const std::string mebibyte(900'000, 'x');
    const std::vector<std::string> lines{
        repeated("[", 1'000'000),
        repeated("[", 500'000) + repeated("]", 500'000),
        repeated(R"({"a":)", 180'000),
        repeated("9", 1'000'000),
        "1e" + repeated("9", 1'000'000),
        R"({"id":")" + repeated("\\u0041", 160'000) + R"(","kind":"tzdb"})",
        R"({"id":")" + mebibyte + R"(","kind":"tzdb"})",
        R"({"kind":")" + mebibyte + R"("})",
        R"({")" + mebibyte + R"(":1,"kind":"tzdb"})",
        R"({"kind":"local","local":"2026-07-01T12:17:00","zone":")" + mebibyte + R"("})",
        R"({"kind":"local","local":"2026-07-01T12:17:00[)" + mebibyte + R"(]"})",
        R"({"kind":"local","local":"2026-07-01T12:17:00[UTC])" + repeated("[a=b]", 200'000) +
            R"("})",
        R"({"kind":"instant","instant":")" + repeated("2", 1'000'000) + R"("})",
        R"({"kind":"interval","start":"2026-01-17T00:00:00Z","every":"PT)" +
            repeated("9", 1'000'000) + R"(S"})",
        R"({"kind":"interval","start":"0001-01-01T00:00:00Z","every":"PT1S","after":"9999-12-31T00:00:00Z","count":10000})",
        R"({"kind":"yearly","date":"--02-29","leap":"skip","gap":"skip","zone":"America/New_York","after":"0001-01-01T00:00:00Z","count":10000})",
        R"({"kind":"cron","expr":")" + repeated("*,", 400'000) +
            R"(","zone":"UTC","after":"0001-01-01T00:00:00Z"})",
        R"({"kind":"cron","expr":")" + repeated(" ", 900'000) +
            R"(* * * * *","zone":"UTC","after":"0001-01-01T00:00:00Z"})",
        R"({"kind":"cron","expr":"59 59 23 29 2 MON","zone":"Africa/Casablanca","after":"0001-01-01T00:00:00Z","count":10000})",
        R"({"kind":"cron","expr":"0 30 2 * * *","gap":"skip","overlap":"both","zone":"America/New_York","after":"0001-01-01T00:00:00Z","count":10000})",
        R"({"kind":"misfire","limit":10000,"policy":"all","schedule":{"kind":"cron","expr":"* * * * * *","zone":"America/New_York"},"last":"0001-01-01T00:00:00Z","now":"9999-12-31T00:00:00Z"})",
        R"({"kind":"misfire","limit":10000,"policy":"all","schedule":{"kind":"cron","expr":"30 2 29 2 *","gap":"skip","overlap":"both","zone":"America/New_York"},"last":"0001-01-01T00:00:00Z","now":"9999-12-31T00:00:00Z"})",
        R"({"kind":"rrule","dtstart":"00010101T000000Z","rrule":"FREQ=SECONDLY","after":"9999-12-30T00:00:00Z","count":10000})",
        R"({"kind":"rrule","dtstart":"00010101T000000Z","rrule":"FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO;BYHOUR=3;BYMINUTE=7;BYSECOND=9","count":1000})",
        R"({"kind":"rrule","dtstart":"00010101T000001Z","rrule":"FREQ=SECONDLY;INTERVAL=86399;BYHOUR=4;BYMINUTE=5;BYSECOND=6;BYMONTH=2;BYMONTHDAY=29","count":100})",
        R"({"kind":"rrule","dtstart":"00010101T000000Z","rrule":"FREQ=MINUTELY;INTERVAL=1439;BYSECOND=60;COUNT=1000000","after":"5000-01-01T00:00:00Z"})",
        R"({"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;BYSETPOS=366","count":10})",
        R"({"kind":"rrule","dtstart":"00010101T000000","zone":"Africa/Casablanca","rrule":"FREQ=DAILY;INTERVAL=9999999","gap":"skip","count":10})",
        R"({"kind":"rrule","dtstart":"20260101T000000Z","rrule":"FREQ=DAILY;BYHOUR=)" +
            repeated("1,", 400'000) + R"(1"})",
        R"({"kind":"rrule","dtstart":"20260101T000000Z","rdate":[)" +
            repeated(R"("20260101T000000Z",)", 50'000) + R"("20260102T000000Z"],"count":9})",
        R"({"kind":"rrule","ical":")" + repeated("RDATE:20260101T000000Z\\n ", 30'000) + R"("})",
        R"({"kind":"rrule","ical":")" + repeated("\\n", 400'000) + R"("})",
        R"({"kind":"misfire","policy":"all","limit":10000,"schedule":{"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=SECONDLY;INTERVAL=7;BYDAY=FR;BYMONTHDAY=13"},"last":"0001-01-01T00:00:00Z","now":"9999-12-31T00:00:00Z"})",
        R"({"kind":"misfire","policy":"all","limit":10000,"schedule":{"kind":"rrule","dtstart":"00010101T000000","zone":"America/New_York","rrule":"FREQ=DAILY;BYHOUR=1,2;BYMINUTE=30"},"last":"0001-01-01T00:00:00Z","now":"9999-12-31T00:00:00Z"})",
        R"({"kind":"misfire","policy":"all","limit":10000,"schedule":{"kind":"interval","start":"0001-01-01T00:00:00Z","every":"PT1S"},"last":"0001-01-01T00:00:00Z","now":"9999-12-31T00:00:00Z"})",
        R"({"kind":"misfire","policy":"skip","grace":"PT876600H","schedule":{"kind":"interval","start":"0001-01-01T00:00:00Z","every":"PT1S"},"last":"0001-01-01T00:00:00Z","now":"9999-12-31T00:00:00Z"})",
        R"({"kind":"misfire","limit":10000,"schedule":{"kind":"yearly","date":"--02-29","gap":"skip","zone":"America/New_York"},"last":"0001-01-01T00:00:00Z","now":"9999-12-31T00:00:00Z"})",
    };
    for (const std::string& line : lines) {
        const std::clock_t began = std::clock();
        const std::string reply = answer(line);
        EXPECT_LT(std::clock() - began, 10 * CLOCKS_PER_SEC) << line.substr(0, 100);
        EXPECT_TRUE(json::parse(reply).is_object());
    }
}

TEST(HostileLine, OfManyMembersIsAnsweredWithinASecond) {
    std::string members = R"({"kind":"tzdb")";
    for (int i = 0; members.size() < 1'000'000; ++i) members += ",\"m" + std::to_string(i) + "\":0";
    const std::clock_t began = std::clock();
    EXPECT_THAT(answer(members + "}"), HasSubstr("'m0' is not known here"));
    EXPECT_LT(std::clock() - began, 10 * CLOCKS_PER_SEC);
}

TEST(HostileLine, IsNotRepeatedInTheMessage) {
    for (const std::string& line :
         {R"({")" + std::string(100'000, 'x') + R"(":1,"kind":"tzdb"})",
          R"({"kind":"local","local":"2026-07-01T12:17:00","zone":")" + std::string(100'000, 'x') +
              R"("})",
          R"({"kind":"instant","instant":")" + std::string(100'000, '2') + R"("})",
          R"({"kind":"local","local":"2026-07-01T12:17:00","zone":"UTC","gap":")" +
              std::string(100'000, 'x') + R"("})"}) {
        EXPECT_LT(answer(line).size(), 500U);
    }
}

}  // namespace
}  // namespace sundial::cli
