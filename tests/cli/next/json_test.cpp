#include <gtest/gtest.h>

#include <string>

#include "cli/next/request.hpp"
#include "next_support.hpp"

namespace sundial::cli {
namespace {

TEST(ParseJson, KeepsMembersAsWritten) {
    const auto value = parse_json(R"({"b":[1,"two",null],"a":{"c":true}})");
    ASSERT_TRUE(value);
    const auto& object = std::get<JsonValue::Object>(value->value);
    ASSERT_EQ(object.size(), 2U);
    EXPECT_EQ(object[0].first, "b");
    const auto& list = std::get<JsonValue::List>(object[0].second.value);
    EXPECT_EQ(std::get<std::int64_t>(list.at(0).value), 1);
    EXPECT_EQ(std::get<std::string>(list.at(1).value), "two");
    EXPECT_TRUE(std::holds_alternative<std::nullptr_t>(list.at(2).value));
    const auto& inner = std::get<JsonValue::Object>(find_member(object, "a")->value);
    EXPECT_TRUE(std::get<bool>(find_member(inner, "c")->value));
    EXPECT_EQ(find_member(object, "c"), nullptr);
}

TEST(ParseJson, DistinguishesIntegersFromOtherNumbers) {
    const auto list = parse_json("[18446744073709551615,-9223372036854775808,1.0,1e3]");
    ASSERT_TRUE(list);
    const auto& numbers = std::get<JsonValue::List>(list->value);
    EXPECT_EQ(std::get<std::uint64_t>(numbers.at(0).value), 18'446'744'073'709'551'615U);
    EXPECT_EQ(std::get<std::int64_t>(numbers.at(1).value), INT64_MIN);
    EXPECT_DOUBLE_EQ(std::get<double>(numbers.at(2).value), 1.0);
    EXPECT_DOUBLE_EQ(std::get<double>(numbers.at(3).value), 1000.0);
}

TEST(ParseJson, JoinsTextAroundEscapesAndReadsLongTexts) {
    const auto value = parse_json("\"" + repeated("\\u00e9\\n", 5000) + "\"");
    ASSERT_TRUE(value);
    EXPECT_EQ(std::get<std::string>(value->value), repeated("\xC3\xA9\n", 5000));
}

TEST(ParseJson, RefusesAMemberGivenTwice) {
    EXPECT_EQ(parse_json(R"({"zone":1,"zone":1})").error(), "a member is given twice: 'zone'");
    EXPECT_EQ(parse_json(R"({"a":{"zone":1},"zone":[{"zone":2},{"zone":3}]})").has_value(), true);
    EXPECT_FALSE(parse_json(R"({"a":1,"\u0061":1})"));
}

TEST(ParseJson, TakesSixtyFourLevelsAndNoMore) {
    EXPECT_TRUE(parse_json(repeated("[", 64) + repeated("]", 64)));
    EXPECT_FALSE(parse_json(repeated("[", 65) + repeated("]", 65)));
    EXPECT_FALSE(parse_json(repeated("[", 1'000'000)));
    EXPECT_FALSE(parse_json(repeated("{\"a\":", 200'000)));
}

TEST(ParseJson, RefusesWhatIsNotJson) {
    for (const char* text : {"",
                             " ",
                             "{",
                             "{]",
                             "nul",
                             "{'a':1}",
                             "{\"a\":1,}",
                             "[1,]",
                             "1 2",
                             "{}x",
                             "// x",
                             "NaN",
                             "\"\x01\"",
                             "\"\xff\"",
                             "\"\xc0\xaf\"",
                             "\"\xed\xa0\x80\"",
                             "\"\\ud800\"",
                             "\"\\x\"",
                             "01",
                             "+1",
                             ".5",
                             "\xEF\xBB\xBF{}"}) {
        EXPECT_FALSE(parse_json(text)) << text;
    }
    EXPECT_FALSE(parse_json(std::string_view("{}\0", 3)));
}

}  // namespace
}  // namespace sundial::cli
