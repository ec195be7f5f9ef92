#include "embedded/answers.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

TEST(AnErrorOfTheStorage, HasNoPassword) {
    const auto answer = embedding::answered<std::string>([]() -> std::string {
        throw Unavailable{"no answer from postgresql://sundial:geheim@db/sundial"};
    });
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, "STORAGE_UNAVAILABLE");
    EXPECT_EQ(answer.error().detail, "no answer from postgresql://sundial:***@db/sundial");
}

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
