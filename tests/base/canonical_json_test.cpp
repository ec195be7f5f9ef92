#include <gtest/gtest.h>

#include <string>

#include "base/json.hpp"

namespace sundial::base {
namespace {

TEST(CanonicalJson, IsOneTextForAllTextsOfAValue) {
    const std::string text = R"({"a":[1,2.50,-0,1e+2,true,null],"b":{"x":"ü\n","y":{}},"c":[]})";
    EXPECT_EQ(canonical_json(text), text);
    EXPECT_EQ(canonical_json(" { \"c\" : [ ] ,\r\n\t\"b\":{\"y\":{ },\"x\":\"\\u00fc\\u000A\"},"
                             "\"a\":[1 ,2.50,-0,1E+2,true,null] } "),
              text);
    EXPECT_EQ(canonical_json(R"({"b":{"y":{},"x":[{"d":1,"c":2},3]},"a":[],"c":{"f":0,"e":1}})"),
              R"({"a":[],"b":{"x":[{"c":2,"d":1},3],"y":{}},"c":{"e":1,"f":0}})");
    // Names are compared with their quotation marks; hashes of such texts are stored.
    EXPECT_EQ(canonical_json(R"({"a":1,"a!":2,"ab":3})"), R"({"a!":2,"a":1,"ab":3})");
    EXPECT_EQ(canonical_json(R"("\ud83d\ude00\/")"), "\"\xf0\x9f\x98\x80/\"");
    EXPECT_EQ(canonical_json(" 7 "), "7");
}

TEST(CanonicalJson, DistinguishesDifferentSpellingsOfNumbers) {
    EXPECT_NE(canonical_json("1"), canonical_json("1.0"));
}

TEST(CanonicalJson, RefusesInvalidJson) {
    for (const char* text : {"",
                             "{",
                             "[1,]",
                             "{\"a\":1,}",
                             "{\"a\"}",
                             "{a:1}",
                             "01",
                             "1.",
                             ".5",
                             "+1",
                             "1e",
                             "-",
                             "nul",
                             "true false",
                             "\"",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\ud800\"",
                             "\"\\udc00\"",
                             "\"\t\"",
                             "\"\xff\"",
                             "[1 2]",
                             "{\"a\":1,\"a\":2}",
                             "{\"b\":0,\"a\":1,\"c\":0,\"a\":2}",
                             "{\"a\":1,\"\\u0061\":2}"}) {
        EXPECT_FALSE(canonical_json(text)) << text;
    }
}

TEST(CanonicalJson, RefusesDeepNesting) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + '1' + std::string(depth, ']');
    };
    EXPECT_TRUE(canonical_json(nested(64)));
    EXPECT_FALSE(canonical_json(nested(65)));
    EXPECT_FALSE(canonical_json(nested(100'000)));
}

}  // namespace
}  // namespace sundial::base
