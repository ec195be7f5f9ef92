#include "adapters/http/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

namespace sundial::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Refused {
    const char* name;
    std::string text;
    Code code;
    std::string where;  // part of the detail, or the pointer
};
void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.name; }

std::string nested(std::size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
}
std::string with_members(std::size_t count) {
    std::string text = "{";
    for (std::size_t i = 0; i < count; ++i) {
        text += (i > 0 ? ",\"m" : "\"m") + std::to_string(i) + "\":1";
    }
    return text + "}";
}

class RefusedJson : public testing::TestWithParam<Refused> {};
TEST_P(RefusedJson, ReportsThePlaceAndTheReason) {
    const auto body = JsonBody::read(GetParam().text);
    ASSERT_FALSE(body);
    EXPECT_EQ(body.error().code, GetParam().code);
    if (GetParam().code == Code::malformed_json) {
        EXPECT_THAT(body.error().detail, HasSubstr(GetParam().where));
    } else {
        ASSERT_EQ(body.error().errors.size(), 1U);
        EXPECT_EQ(body.error().errors[0].pointer, GetParam().where);
    }
}
INSTANTIATE_TEST_SUITE_P(
    Table, RefusedJson,
    testing::Values(
        Refused{"empty", "", Code::malformed_json, "empty"},
        Refused{"only_space", "  ", Code::malformed_json, "byte 2"},
        Refused{"unfinished", R"({"a":)", Code::malformed_json,
                "byte 5: the text ends before the value is complete"},
        Refused{"more_after", "{} x", Code::malformed_json,
                "byte 3: unexpected text after the value"},
        Refused{"two_values", "1 2", Code::malformed_json, "byte 2"},
        Refused{"nan", R"({"a":NaN})", Code::malformed_json, "byte 5"},
        Refused{"infinity", "[Infinity]", Code::malformed_json, "byte 1"},
        Refused{"comment", "{/**/}", Code::malformed_json, "byte 1"},
        Refused{"trailing_comma", "[1,]", Code::malformed_json, "byte 3"},
        Refused{"single_quotes", "{'a':1}", Code::malformed_json, "byte 1"},
        Refused{"leading_zero", "[01]", Code::malformed_json, "byte 2"},
        Refused{"byte_order_mark", "\xEF\xBB\xBF{}", Code::malformed_json, "byte 0"},
        Refused{"control_in_string", "[\"a\nb\"]", Code::malformed_json, "byte 3"},
        Refused{"broken_utf8", "[\"\xff\"]", Code::malformed_json, "byte 2"},
        Refused{"overlong_utf8", "[\"\xc0\xaf\"]", Code::malformed_json, "byte 2"},
        Refused{"encoded_surrogate", "[\"\xed\xa0\x80\"]", Code::malformed_json, "byte"},
        Refused{"lone_leading", R"(["\ud800"])", Code::malformed_json, "byte 8"},
        Refused{"lone_trailing", R"(["\udc00"])", Code::malformed_json, "surrogate"},
        Refused{"reversed_pair", R"(["\udc00\ud800"])", Code::malformed_json, "surrogate"},
        Refused{"lone_in_name", R"({"\ud800":1})", Code::malformed_json, "byte 8"},
        Refused{"duplicate", R"({"b":{"a":1,"x":2,"a":3}})", Code::validation_failed, "/b/a"},
        Refused{"duplicate_by_escape", R"([0,{"a":1,"\u0061":3}])", Code::validation_failed,
                "/1/a"},
        Refused{"nul_in_name", R"({"a\u0000b":1})", Code::validation_failed,
                std::string("/a\0b", 4)},
        Refused{"too_deep", nested(33), Code::validation_failed,
                "/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0"},
        Refused{"too_many_members", with_members(10'001), Code::validation_failed, "/m10000"},
        Refused{"too_many_digits", R"({"n":[1,123456789012345678901234567890123]})",
                Code::validation_failed, "/n/1"},
        Refused{"digits_after_the_point", "[0.12345678901234567890123456789012]",
                Code::validation_failed, "/0"},
        Refused{"no_double", "[1e400]", Code::validation_failed, "/0"}),
    [](const auto& info) { return info.param.name; });

class TakenJson : public testing::TestWithParam<std::string> {};
TEST_P(TakenJson, IsKeptAsItCame) {
    const auto body = JsonBody::read(GetParam());
    ASSERT_TRUE(body) << body.error().detail;
    EXPECT_EQ(body->text(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Table, TakenJson,
                         testing::Values("{}", " [ ] \n", "null", "\"\\ud83d\\ude00\"", nested(32),
                                         with_members(10'000), "[12345678901234567890123456789012]",
                                         "[-0.0, 1E-3]",
                                         R"({"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]})",
                                         "[\"\\u0000\"]"));

struct Cut {
    std::string text;
    std::string name;
    std::optional<std::string> bytes;
    friend void PrintTo(const Cut& one, std::ostream* out) { *out << one.text; }
};
class RawMember : public testing::TestWithParam<Cut> {};
TEST_P(RawMember, IsCutByteForByte) {
    const auto body = JsonBody::read(GetParam().text);
    ASSERT_TRUE(body);
    const auto raw = body->raw_member(GetParam().name);
    EXPECT_EQ(raw.has_value(), GetParam().bytes.has_value());
    if (raw && GetParam().bytes) EXPECT_EQ(*raw, *GetParam().bytes);
}
INSTANTIATE_TEST_SUITE_P(
    Table, RawMember,
    testing::Values(Cut{R"({"p":{"b" : 1.0,"a":"}\"]"} })", "p", R"({"b" : 1.0,"a":"}\"]"})"},
                    Cut{" { \"x\" : [1, 2] , \"p\" : 1e2 }", "p", "1e2"},
                    Cut{R"({"p":"a\\"})", "p", R"("a\\")"}, Cut{R"({"p":true})", "p", "true"},
                    Cut{"{\"p\"\n:\n-1\n}", "p", "-1"}, Cut{R"({"\u0070":[[]]})", "p", "[[]]"},
                    Cut{R"({"x":{"p":1}})", "p", std::nullopt},
                    Cut{R"({"x":"p"})", "p", std::nullopt}, Cut{"{}", "p", std::nullopt},
                    Cut{"[1]", "p", std::nullopt}, Cut{R"({"p:":1,":p":2})", "p", std::nullopt}));

TEST(RawItems, AreCutByteForByte) {
    EXPECT_THAT(raw_items(" [ 1 ,{\"a\" : [2,\"]\\\"\"]} , [ ],\"x,y\"\n, null ] "),
                ElementsAre("1", "{\"a\" : [2,\"]\\\"\"]}", "[ ]", "\"x,y\"", "null"));
    EXPECT_THAT(raw_items("[ ]"), IsEmpty());
}

}  // namespace
}  // namespace sundial::http
