#include <gtest/gtest.h>

#include "adapters/webhook/response_reader.hpp"

namespace sundial::webhook {
namespace {

const HeaderList sent{
    {"X-Team", "crm"}, {"X-Key", "0123456789"}, {"Authorization", "Bearer abcdefgh"}};

TEST(Echoes, AreOverwrittenWhereverTheyStand) {
    EXPECT_EQ(without_echoes("0123456789 and 0123456789.", sent), "********** and **********.");
    EXPECT_EQ(without_echoes("Bearer abcdefgh", sent), "***************");
}

TEST(Echoes, AreFoundWithoutTheWordBeforeThem) {
    EXPECT_EQ(without_echoes("token=abcdefgh!", sent), "token=********!");
}

TEST(Echoes, AreFoundWhereTheBodyWasCutOff) {
    EXPECT_EQ(without_echoes("you said 012345678", sent), "you said *********");
    EXPECT_EQ(without_echoes("you said 01234567", sent), "you said ********");
    EXPECT_EQ(without_echoes("you said 0123456", sent), "you said 0123456");
}

TEST(Echoes, OfShortValuesAreLeftAlone) {
    EXPECT_EQ(without_echoes("the crm team", sent), "the crm team");
    EXPECT_EQ(without_echoes("", sent), "");
    EXPECT_EQ(without_echoes("anything", {}), "anything");
}

}  // namespace
}  // namespace sundial::webhook
