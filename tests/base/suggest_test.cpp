#include <gtest/gtest.h>

#include <array>

#include "base/text.hpp"

namespace sundial::base {
namespace {

const std::array<std::string, 4> zones{"Europe/Kyiv", "Europe/Paris", "America/Mazatlan", "UTC"};

TEST(Nearest, FindsTheNearestName) {
    EXPECT_EQ(nearest("europe/pariss", zones), "Europe/Paris");
    EXPECT_EQ(nearest("Europe/Kiev", zones), "Europe/Kyiv");
    EXPECT_EQ(nearest("utc", zones), "UTC");
}

TEST(Nearest, FindsNothingIfAllNamesAreTooDifferent) {
    EXPECT_EQ(nearest("completely different", zones), std::nullopt);
    EXPECT_EQ(nearest("", zones), std::nullopt);
    EXPECT_EQ(nearest(std::string(10'000, 'x'), zones), std::nullopt);
}

}  // namespace
}  // namespace sundial::base
