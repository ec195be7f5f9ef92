#include <gtest/gtest.h>

#include "domain/time/types.hpp"

namespace sundial {
namespace {

TEST(PolicyNames, AreReadBackAsWritten) {
    for (const char* name : {"compatible", "earlier", "later", "boundary", "skip", "reject"}) {
        EXPECT_EQ(to_string(gap_policy(name).value()), name);
    }
    for (const char* name : {"compatible", "earlier", "later", "both", "skip", "reject"}) {
        EXPECT_EQ(to_string(overlap_policy(name).value()), name);
    }
    for (const char* name : {"feb28", "mar1", "skip"}) {
        EXPECT_EQ(to_string(leap_policy(name).value()), name);
    }
    for (const char* name : {"all", "once", "skip"}) {
        EXPECT_EQ(to_string(misfire_policy(name).value()), name);
    }
}

TEST(PolicyNames, AreExact) {
    EXPECT_EQ(gap_policy("Skip"), std::nullopt);
    EXPECT_EQ(gap_policy("both"), std::nullopt);
    EXPECT_EQ(overlap_policy("boundary"), std::nullopt);
    EXPECT_EQ(leap_policy(""), std::nullopt);
    EXPECT_EQ(misfire_policy("ALL"), std::nullopt);
}

TEST(PolicyNames, BelongToTheirPolicy) {
    EXPECT_EQ(gap_policy("boundary"), GapPolicy::boundary);
    EXPECT_EQ(overlap_policy("both"), OverlapPolicy::both);
    EXPECT_EQ(leap_policy("mar1"), LeapPolicy::mar1);
}

TEST(TimeErrorCodes, HaveTheNamesOfTheSpecification) {
    EXPECT_EQ(to_string(TimeErrorCode::bad_request), "bad_request");
    EXPECT_EQ(to_string(TimeErrorCode::bad_time), "bad_time");
    EXPECT_EQ(to_string(TimeErrorCode::out_of_range), "out_of_range");
    EXPECT_EQ(to_string(TimeErrorCode::nonexistent_time), "nonexistent_time");
    EXPECT_EQ(to_string(TimeErrorCode::ambiguous_time), "ambiguous_time");
    EXPECT_EQ(to_string(TimeErrorCode::offset_mismatch), "offset_mismatch");
    EXPECT_EQ(to_string(TimeErrorCode::unknown_zone), "unknown_zone");
    EXPECT_EQ(to_string(TimeErrorCode::bad_interval), "bad_interval");
    EXPECT_EQ(to_string(TimeErrorCode::not_allowed), "not_allowed");
    EXPECT_EQ(to_string(TimeErrorCode::too_expensive), "too_expensive");
}

}  // namespace
}  // namespace sundial
