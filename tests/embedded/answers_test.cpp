#include "embedded/answers.hpp"

#include <gtest/gtest.h>

#include <string>

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

TEST(EmbeddedAnswers, HaveTheDatesAndTextsOfAUser) {
    const auto requested = embedding::requested_user({.first_name = "Ada",
                                                      .last_name = "Li",
                                                      .date_of_birth = "1992-06-15",
                                                      .timezone = "Europe/Paris",
                                                      .dates = {{"anniversary", "2015-06-01"}},
                                                      .metadata = {{"plan", "gold"}}});
    EXPECT_EQ(requested.dates.at("anniversary"), "2015-06-01");
    EXPECT_EQ(requested.metadata.at("plan"), "gold");
    User user = a_user()
                    .with_date("anniversary", std::chrono::year{2015} / 6 / 1)
                    .with_metadata("plan", "gold");
    user.version = Version{3};
    const embedding::User shown = embedding::shown(user);
    EXPECT_EQ(shown.dates.at("anniversary"), "2015-06-01");
    EXPECT_EQ(shown.metadata.at("plan"), "gold");
    EXPECT_EQ(shown.version, 3U);
}

TEST(EmbeddedAnswers, KeepTheTraceOfTheWorkThatCreatesAnEvent) {
    const std::string given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const auto requested = embedding::requested_event({.type = "X", .traceparent = given});
    ASSERT_TRUE(requested);
    Event event = an_event();
    event.trace = requested->trace;
    EXPECT_EQ(embedding::shown(event).traceparent, given);
    event.attempt = Attempt{1};
    const std::string attempt = embedding::shown(event).traceparent;
    EXPECT_NE(attempt, given);
    EXPECT_EQ(attempt.substr(0, 36), given.substr(0, 36));
    EXPECT_FALSE(embedding::requested_event({.type = "X", .traceparent = "none"})->trace);
    EXPECT_EQ(embedding::shown(an_event()).traceparent, "");
}

}  // namespace
}  // namespace sundial
