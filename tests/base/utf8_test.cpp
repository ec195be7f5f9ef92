#include <gtest/gtest.h>

#include "base/text.hpp"

namespace sundial::base {
namespace {

TEST(CountCodePoints, CountsCharactersNotBytes) {
    EXPECT_EQ(count_code_points(""), 0U);
    EXPECT_EQ(count_code_points("Zoë"), 3U);
    EXPECT_EQ(count_code_points("李🎂"), 2U);
}

TEST(CountCodePoints, RefusesInvalidUtf8) {
    for (const std::string_view wrong :
         {"\xC0\xAF", "\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF"}) {
        EXPECT_EQ(count_code_points(wrong), std::nullopt);
    }
}

}  // namespace
}  // namespace sundial::base
