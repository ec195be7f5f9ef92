#include "base/uuid.hpp"

#include <gtest/gtest.h>

namespace sundial::base {
namespace {

TEST(Uuid, ReadsWhatItWrites) {
    const std::string text = "01995b2c-7d3a-7c11-9f3e-0123456789ab";
    ASSERT_TRUE(parse_uuid(text));
    EXPECT_EQ(to_string(*parse_uuid(text)), text);
    EXPECT_EQ(parse_uuid("01995B2C-7D3A-7C11-9F3E-0123456789AB"), parse_uuid(text));
}

TEST(Uuid, RefusesEverythingElse) {
    for (const std::string_view wrong :
         {"", "01995b2c7d3a7c119f3e0123456789ab", "01995b2c-7d3a-7c11-9f3e-0123456789ag",
          "01995b2c-7d3a-7c11-9f3e-0123456789abc", "{1995b2c-7d3a-7c11-9f3e-0123456789ab"}) {
        EXPECT_EQ(parse_uuid(wrong), std::nullopt) << wrong;
    }
}

}  // namespace
}  // namespace sundial::base
