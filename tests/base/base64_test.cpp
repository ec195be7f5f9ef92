#include <gtest/gtest.h>

#include "base/text.hpp"

namespace sundial::base {
namespace {

TEST(Base64, AgreesWithTheVectorsOfTheRfc) {  // RFC 4648 section 10
    const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : vectors) {
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
}

TEST(Base64, RefusesNonCanonicalText) {
    for (const std::string_view wrong :
         {"Zg", "Zg=", "Z===", "====", "Zh==", "Zm9=", "Zm 9", "Zm-_", "Zg==Zg=="}) {
        EXPECT_EQ(from_base64(wrong), std::nullopt) << wrong;
    }
}

TEST(Hex, HasTwoDigitsForEachByte) {
    using namespace std::string_view_literals;
    EXPECT_EQ(to_hex(""), "");
    EXPECT_EQ(to_hex("\0\x0f\x7f\x80\xff"sv), "000f7f80ff");
}

}  // namespace
}  // namespace sundial::base
