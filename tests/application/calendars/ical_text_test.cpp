#include "application/calendars/ical_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace sundial {
namespace {

TEST(IcalTextTest, EscapesTexts) {
    IcalText text;
    text.text("SUMMARY", "a,b;c\\d\ne\x01");
    EXPECT_EQ(std::move(text).take(), "SUMMARY:a\\,b\\;c\\\\d\\ne\r\n");
}

TEST(IcalTextTest, FoldsLongLinesBetweenCharacters) {
    IcalText text;
    text.line("X:" + std::string(72, 'a') + "üb" + std::string(72, 'c') + "dd");
    EXPECT_EQ(std::move(text).take(),
              "X:" + std::string(72, 'a') + "\r\n üb" + std::string(71, 'c') + "\r\n cdd\r\n");
}

TEST(IcalTextTest, WritesInstantsInUtc) {
    const Instant instant = std::chrono::sys_days{std::chrono::January / 4 / 2027} +
                            std::chrono::hours{8} + std::chrono::milliseconds{1500};
    EXPECT_EQ(ical_utc(instant), "20270104T080001Z");
}

}  // namespace
}  // namespace sundial
