#include "adapters/sqlite/json_text.hpp"

#include <gtest/gtest.h>

#include "application/ports/failures.hpp"

namespace sundial::sqlite {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

const TextPairs& odd_pairs() {
    static const TextPairs pairs{{"plain", "text"},          {"quotes", "\"a\\b\""},
                                 {"breaks", "a\nb\rc\td"},   {"control", "\x01\x1f\x7f"},
                                 {"zero", "a\0b"s},          {"brackets", "[{\"x\": [1, 2]}]"},
                                 {"letters", "Zoë 生日 🎂"}, {"", ""}};
    return pairs;
}

TEST(JsonText, ReadsBackTheMembersOfAnObject) {
    EXPECT_EQ(pairs_in(object_of(odd_pairs())), odd_pairs());
    EXPECT_EQ(pairs_in(object_of({})), TextPairs{});
}

TEST(JsonText, ReadsBackPairs) {
    EXPECT_EQ(array_of(TextPairs{{"X-Team", "crm"}}), R"([["X-Team","crm"]])");
    EXPECT_EQ(pairs_in(array_of(odd_pairs())), odd_pairs());
}

TEST(JsonText, ReadsBackSeconds) {
    const std::vector delays{1s, 60s, 86'400s};
    EXPECT_EQ(array_of(delays), "[1,60,86400]");
    EXPECT_EQ(seconds_in(array_of(delays)), delays);
    EXPECT_TRUE(seconds_in("[]").empty());
}

TEST(JsonText, RefusesForeignText) {
    for (const char* text : {R"({"a":1})", R"({"a)", R"(["\u00)", R"(["\u00e9",""])", R"(["a\)"}) {
        EXPECT_THROW(static_cast<void>(pairs_in(text)), Corrupt) << text;
    }
    EXPECT_THROW(static_cast<void>(seconds_in("[99999999999999999999]")), Corrupt);
}

}  // namespace
}  // namespace sundial::sqlite
