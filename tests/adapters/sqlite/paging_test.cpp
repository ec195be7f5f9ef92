#include "adapters/sqlite/paging.hpp"

#include <gtest/gtest.h>

namespace sundial::sqlite {
namespace {

Uuid uuid(const char* text) { return base::parse_uuid(text).value(); }

TEST(IdsWith, AreThoseWhoseTextBeginsWithThePrefix) {
    const auto some = ids_with("0199-");  // no id has a dash there
    EXPECT_FALSE(some.first);
    const auto ids = ids_with("01995b2c-7d");
    EXPECT_EQ(ids.first, uuid("01995b2c-7d00-0000-0000-000000000000"));
    EXPECT_EQ(ids.last, uuid("01995b2c-7dff-ffff-ffff-ffffffffffff"));
}

TEST(IdsWith, AreAllForAnEmptyPrefixAndOneForAWholeId) {
    EXPECT_EQ(ids_with("").first, uuid("00000000-0000-0000-0000-000000000000"));
    EXPECT_EQ(ids_with("").last, uuid("ffffffff-ffff-ffff-ffff-ffffffffffff"));
    const std::string whole = "01995b2c-7d3a-7000-8000-000000000001";
    EXPECT_EQ(ids_with(whole).first, ids_with(whole).last);
}

TEST(IdsWith, AreNoneForWhatNoIdBeginsWith) {
    for (const char* prefix : {"Ada", "0199A", "01995b2c7", "0199%", "x"}) {
        EXPECT_FALSE(ids_with(prefix).first) << prefix;
    }
    EXPECT_FALSE(ids_with("01995b2c-7d3a-7000-8000-0000000000011").first);
    EXPECT_FALSE(ids_with(std::nullopt).first);
}

}  // namespace
}  // namespace sundial::sqlite
