#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "base/json.hpp"

namespace sundial::base {
namespace {

TEST(JsonWriter, WritesNestedValuesWithTheirCommas) {
    JsonWriter json;
    json.begin_object()
        .member("a", 1)
        .key("b")
        .begin_array()
        .value("x")
        .value(true)
        .begin_object()
        .end_object();
    json.end_array().member("c", std::optional<int>{}).member("d", 0.5).end_object();
    EXPECT_EQ(json.text(), R"({"a":1,"b":["x",true,{}],"c":null,"d":0.5})");
}

TEST(JsonWriter, EscapesOnlyRequiredCharacters) {
    JsonWriter json;
    json.value("q\" b\\ \n\r\t \x01 é 🎂 /");
    EXPECT_EQ(json.text(), "\"q\\\" b\\\\ \\n\\r\\t \\u0001 é 🎂 /\"");
}

TEST(JsonWriter, WritesNullForNumbersThatJsonLacks) {
    JsonWriter json;
    json.value(std::numeric_limits<double>::infinity());
    EXPECT_EQ(json.text(), "null");
}

}  // namespace
}  // namespace sundial::base
