#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.hpp"
#include "domain/names.hpp"
#include "domain/outcome.hpp"

namespace sundial {
namespace {

TEST(Reason, StaysUnchangedIfValid) {
    EXPECT_EQ(storable_reason("no paper"), "no paper");
    EXPECT_EQ(storable_reason("kein Papier für 你好 👍"), "kein Papier für 你好 👍");
    EXPECT_EQ(storable_reason(""), "");
}

TEST(Reason, HasABlankForEachControlCharacter) {
    EXPECT_EQ(storable_reason("first\nsecond\tthird\x7f"), "first second third ");
    EXPECT_EQ(storable_reason(std::string{"a\0b", 3}), "a b");
    EXPECT_EQ(storable_reason("a\u0085b\u00a0"), "a b\u00a0");
}

TEST(Reason, ReplacesInvalidUtf8) {
    EXPECT_EQ(storable_reason("a\xff\xfe"), "a\uFFFD\uFFFD");
    EXPECT_EQ(storable_reason("a\xc3"), "a\uFFFD");            // the second byte is missing
    EXPECT_EQ(storable_reason("\xc0\xafz"), "\uFFFD\uFFFDz");  // overlong
}

TEST(Reason, IsCutBetweenTwoCharacters) {
    std::string text;
    for (int i = 0; i < 1001; ++i) text += "ü";
    EXPECT_EQ(storable_reason(text), text.substr(0, 2000));
    EXPECT_EQ(storable_reason(std::string(100'000, 'x')), std::string(1000, 'x'));
}

TEST(Reason, HasNoPassword) {
    EXPECT_EQ(storable_reason("no connection to postgresql://a:secret@db/b\npassword=x"),
              "no connection to postgresql://a:***@db/b password=***");
    const std::string reason = storable_reason(std::string(980, 'x') + " password=geheim");
    EXPECT_EQ(reason.find("geheim"), std::string::npos);
}

RC_GTEST_PROP(Reason, IsAlwaysValidText, (const std::string& text)) {
    const std::string reason = storable_reason("x" + text);
    RC_ASSERT(!refuse_text("/reason", reason, longest_reason));
    RC_ASSERT(storable_reason(reason) == reason);
}

}  // namespace
}  // namespace sundial
