#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/time/resolve.hpp"
#include "support/fake_zone.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ReadLocalRequest, TakesTheZoneFromItsFieldOrFromTheSuffix) {
    EXPECT_EQ(read_local_request("2027-05-04T10:11", "Europe/Rome")->zone, "Europe/Rome");
    EXPECT_EQ(read_local_request("2027-05-04T10:11[Europe/Rome]", std::nullopt)->zone,
              "Europe/Rome");
    EXPECT_EQ(read_local_request("2027-05-04T10:11[Europe/Rome]", "Europe/Rome")->zone,
              "Europe/Rome");
}

TEST(ReadLocalRequest, RefusesTwoZonesAndNone) {
    EXPECT_EQ(read_local_request("2027-05-04T10:11[Europe/Rome]", "Europe/Paris").error().code,
              TimeErrorCode::bad_request);
    const auto without = read_local_request("2027-05-04T10:11+02:00", std::nullopt);
    EXPECT_EQ(without.error().code, TimeErrorCode::bad_request);
    EXPECT_THAT(without.error().message, HasSubstr("needs a zone"));
}

TEST(ReadLocalRequest, KeepsOffsetAndFraction) {
    const auto request = read_local_request("2027-05-04T10:11:12.5+02:00", "Europe/Rome");
    EXPECT_EQ(request->offset, 2h);
    EXPECT_EQ(format_wall(request->wall), "2027-05-04T10:11:12.5");
}

TEST(ReadLocalRequest, ReportsErrorsOfTheText) {
    EXPECT_EQ(read_local_request("2027-05-04T10:11:12Z", "Europe/Rome").error().code,
              TimeErrorCode::bad_time);
}

TEST(OffsetDefect, IsANumericOffsetThatTheZoneDoesNotHave) {
    const auto defect_of = [](std::string_view text) {
        return offset_defect(*parse_instant(text), new_york());
    };
    EXPECT_EQ(defect_of("2026-07-01T12:00:00-04:00[America/New_York]"), std::nullopt);
    EXPECT_EQ(defect_of("2026-07-01T12:00:00Z[America/New_York]"), std::nullopt);
    const auto defect = defect_of("2026-07-01T12:00:00-05:00[America/New_York]");
    ASSERT_TRUE(defect);
    EXPECT_EQ(defect->code, TimeErrorCode::offset_mismatch);
    EXPECT_THAT(defect->message, HasSubstr("-04:00"));
}

}  // namespace
}  // namespace sundial
