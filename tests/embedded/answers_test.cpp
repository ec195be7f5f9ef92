#include "embedded/answers.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

TEST(EmbeddedAnswers, ShowNoInstantWhileALocalTimeIsNotResolved) {
    Event event = an_event();
    event.intent.wall = WallTime{1'800'000'000s};
    event.tz_release = "";
    EXPECT_EQ(embedding::shown(event).due, embedding::no_instant);
    event.tz_release = "2026a";
    EXPECT_EQ(embedding::shown(event).due, event.due);
}

}  // namespace
}  // namespace sundial
