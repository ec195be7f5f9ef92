#include "domain/event_status.hpp"

#include <gtest/gtest.h>

namespace sundial {
namespace {

TEST(EventStatus, ReadsWhatItWrites) {
    for (const char* text : {"PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"}) {
        ASSERT_TRUE(parse_event_status(text)) << text;
        EXPECT_EQ(to_string(*parse_event_status(text)), text);
    }
    EXPECT_EQ(to_string(EventStatus::processing), "PROCESSING");
    EXPECT_EQ(parse_event_status("pending"), std::nullopt);
}

TEST(Priority, ReadsWhatItWrites) {
    for (const char* text : {"CRITICAL", "HIGH", "NORMAL", "LOW"}) {
        ASSERT_TRUE(parse_priority(text)) << text;
        EXPECT_EQ(to_string(*parse_priority(text)), text);
    }
    EXPECT_EQ(to_string(Priority::critical), "CRITICAL");
    EXPECT_EQ(parse_priority(""), std::nullopt);
}

}  // namespace
}  // namespace sundial
