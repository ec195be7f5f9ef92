#include "cli/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <sstream>

#include "cli/json_text.hpp"
#include "cli/output.hpp"

namespace sundial::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

TEST(Harmless, EscapesWhatMovesACursorOrEndsALine) {
    EXPECT_EQ(harmless("a\x1b[31mb\r\n\tc"), "a\\x1b[31mb\\x0d\\n\\tc");
    EXPECT_EQ(harmless("\xc2\x9b"
                       "31m"),
              "\\xc2\\x9b31m");  // CSI as one character
    EXPECT_EQ(harmless("a\xe2\x80\xae"
                       "b"),
              "a\\xe2\\x80\\xaeb");  // right-to-left override
    EXPECT_EQ(harmless("\xff"
                       "é日"),
              "\\xffé日");
}

TEST(Cells, CountsWhatATerminalShows) {
    EXPECT_EQ(cells("abc"), 3U);
    EXPECT_EQ(cells("é"), 1U);
    EXPECT_EQ(cells("日本"), 4U);
    EXPECT_EQ(cells("e\xcc\x81"), 1U);  // with a combining accent
}

TEST(Cut, NeverExceedsTheWidthAndHalvesNoCharacter) {
    EXPECT_EQ(cut("abcdef", 6), "abcdef");
    EXPECT_EQ(cut("abcdef", 4), "abc…");
    EXPECT_EQ(cut("日本語", 4), "日…");
    EXPECT_EQ(cut("日本語", 5), "日本…");
    EXPECT_EQ(cut("abc", 0), "");
}

TEST(CsvField, QuotesWhatWouldEndAField) {
    EXPECT_EQ(csv_field("plain"), "plain");
    EXPECT_EQ(csv_field("a,\"b\"\n"), "\"a,\"\"b\"\"\n\"");
    EXPECT_EQ(csv_field("=1+1"), "=1+1");  // exact, also if a spreadsheet takes it for a formula
}

TEST(Csv, KeepsEmptyFieldsInTheirColumns) {
    EXPECT_EQ(csv_line({"", "a", ""}), ",a,\r\n");
    EXPECT_EQ(csv_line({"", "", "a"}), ",,a\r\n");
    EXPECT_EQ(csv_line({""}), "\"\"\r\n");
}

TEST(CellsOfRow, SayHowLongAgoAnInstanceWasSeen) {
    const auto seen = [](const std::string& row) {
        return cells_of_row(row, {{"last seen", "@seen"}});
    };
    EXPECT_THAT(seen(R"({"silentMs":0})"), ElementsAre("0 s ago"));
    EXPECT_THAT(seen(R"({"silentMs":59999})"), ElementsAre("59 s ago"));
    EXPECT_THAT(seen(R"({"silentMs":60000})"), ElementsAre("1 min ago"));
    EXPECT_THAT(seen(R"({"silentMs":7200000})"), ElementsAre("2 h ago"));
    EXPECT_THAT(seen("{}"), ElementsAre(""));  // a server of an earlier version
}

TEST(TextTable, AlignsWideCharacters) {
    TextTable table({"name", "zone"});
    table.add({"日本", "Asia/Tokyo"});
    table.add({"Ada", "Europe/Paris"});
    EXPECT_EQ(table.text(), "name  zone\n日本  Asia/Tokyo\nAda   Europe/Paris\n");
}

TEST(TextTable, FitsTheTerminalAndKeepsTheFirstColumn) {
    TextTable table({"id", "reason", "more"});
    table.add({"0199-0123456789", std::string(60, 'x'), std::string(30, 'y')});
    const std::string text = table.text({.width = 50, .colour = false});
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = text.find('\n', begin);
        EXPECT_LE(cells(std::string_view(text).substr(begin, end - begin)), 50U) << text;
        begin = end + 1;
    }
    EXPECT_THAT(text, HasSubstr("0199-0123456789"));
    EXPECT_THAT(text, HasSubstr("…"));
}

TEST(TextTable, BecomesLinesWhereNoTableFits) {
    TextTable table({"id", "reason", "more"});
    table.add({"0199-0123456789", std::string(60, 'x'), ""});
    EXPECT_EQ(table.text({.width = 24, .colour = false}),
              "id      0199-0123456789\nreason  " + std::string(60, 'x') + '\n');
}

TEST(TextTable, ContinuesWithTheNextPageWithoutHeaders) {
    TextTable table({"id"});
    table.add({"abc"});
    EXPECT_EQ(table.text(), "id\nabc\n");
    table.add({"d"});
    EXPECT_EQ(table.text(), "d\n");
}

TEST(TextTable, LeavesEmptyColumnsOutOnATerminalUntilTheyHaveAValue) {
    TextTable table({"id", "reason"});
    table.add({"a", ""});
    EXPECT_EQ(table.text({.width = 80, .colour = false}), "id\na\n");
    table.add({"b", "broken"});
    EXPECT_EQ(table.text({.width = 80, .colour = false}), "id  reason\nb   broken\n");
    table.add({"c", ""});
    EXPECT_EQ(table.text({.width = 80, .colour = false}), "c\n");
    TextTable file({"id", "reason"});
    file.add({"a", ""});
    EXPECT_EQ(file.text(), "id  reason\na\n") << "a program can rely on the columns";
}

TEST(TextTable, PaintsStatesOnlyIfAsked) {
    TextTable plain({"status"}), coloured({"status"});
    plain.add({"FAILED"});
    coloured.add({"FAILED"});
    EXPECT_THAT(plain.text(), Not(HasSubstr("\x1b")));
    EXPECT_THAT(coloured.text({.width = 80, .colour = true}), HasSubstr("\x1b[31mFAILED\x1b[0m"));
}

TEST(JsonText, TakesAnObjectApartWithoutChangingIt) {
    const auto members = members_of(R"( {"a" : 1.0, "b\"c":{"d":[1, "]"]} ,"e":null})");
    EXPECT_THAT(members, ElementsAre(Pair("a", "1.0"), Pair("b\"c", R"({"d":[1, "]"]})"),
                                     Pair("e", "null")));
    EXPECT_THAT(elements_of(R"([1,{"a":[2]} , "x,y",[]])"),
                ElementsAre("1", R"({"a":[2]})", "\"x,y\"", "[]"));
    EXPECT_THAT(elements_of("[]"), ElementsAre());
    EXPECT_THAT(members_of("{}"), ElementsAre());
    EXPECT_EQ(value_at(R"({"a":{"b":[{"c":1E400}]}})", "a.b.0.c"), "1E400");
    EXPECT_EQ(value_at(R"({"a":{}})", "a.b"), "");
    EXPECT_EQ(plain_text(R"("a\u0062")"), "ab");
    EXPECT_EQ(plain_text("null"), "");
}

TEST(JsonText, WritesNumbersForPeopleWithoutExponents) {
    for (const auto& [json, text] :
         std::vector<std::pair<std::string, std::string>>{{"1.5E-1", "0.15"},
                                                          {"6.029312E0", "6.029312"},
                                                          {"-1.25e+3", "-1250"},
                                                          {"0E0", "0"},
                                                          {"1E-3", "0.001"},
                                                          {"0.5E1", "5"},
                                                          {"12.50E-1", "1.250"},
                                                          {"7", "7"},
                                                          {"1.0", "1.0"},
                                                          {"1E400", "1E400"},
                                                          {"1E99999999999", "1E99999999999"},
                                                          {"true", "true"},
                                                          {"[1E1]", "[1E1]"},
                                                          {R"("1E1")", "1E1"}}) {
        EXPECT_EQ(plain_text(json), text) << json;
    }
    const auto row = boost::json::parse(R"({"rate":0.15})").as_object();
    EXPECT_EQ(text_of(row, "rate"), "0.15");
}

TEST(PrintProblem, SaysWhatIsWrongWhereAndWhatWouldBeRight) {
    const auto problem =
        boost::json::parse(
            R"({"detail":"1 field is invalid","code":"VALIDATION_FAILED","retryable":false,
        "errors":[{"pointer":"/timezone","code":"unknown_zone","message":"'Mars\u001b' is not an IANA zone"}]})")
            .as_object();
    std::ostringstream err;
    print_problem(problem, err, [](std::string_view pointer) {
        return pointer == "/timezone" ? "--timezone" : std::string(pointer);
    });
    EXPECT_EQ(err.str(),
              "sundial: 1 field is invalid (VALIDATION_FAILED)\n  --timezone: 'Mars\\x1b' is not "
              "an IANA zone\n");
}

TEST(PrintProblem, AddsTheRemedyThatTheServerDoesNotKnow) {
    const auto text = [](const char* problem) {
        std::ostringstream err;
        print_problem(boost::json::parse(problem).as_object(), err);
        return err.str();
    };
    EXPECT_THAT(text(R"({"detail":"no key","code":"UNAUTHENTICATED","retryable":false})"),
                HasSubstr("--api-key or SUNDIAL_API_KEY"));
    EXPECT_THAT(text(R"({"detail":"no","code":"FORBIDDEN","role":"ADMIN","retryable":false})"),
                HasSubstr("the role ADMIN"));
    EXPECT_THAT(text(R"({"detail":"busy","code":"OVERLOADED","retryable":true})"),
                HasSubstr("may succeed later"));
    EXPECT_THAT(
        text(R"({"detail":"x","code":"INTERNAL_ERROR","retryable":true,"correlationId":"req-1"})"),
        HasSubstr("under req-1"));
}

}  // namespace
}  // namespace sundial::cli
