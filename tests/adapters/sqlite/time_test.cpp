#include "adapters/sqlite/time.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

class TimeTest : public testing::Test {
protected:
    Instant real_ = noon;
    RecordedLog log_;
    Time time_{Time::Mode::system, noon - 1h, [this] { return real_; }, log_};
};

TEST_F(TimeTest, FollowsTheSystem) {
    EXPECT_EQ(time_.now(), noon);
    real_ = noon + 1us;
    EXPECT_EQ(time_.now(), noon + 1us);
}

TEST_F(TimeTest, StandsStillWhileTheSystemIsBehind) {
    EXPECT_EQ(time_.now(), noon);
    real_ = noon - 500ms;
    EXPECT_EQ(time_.now(), noon);
    EXPECT_TRUE(log_.lines().empty());  // a step this small is not logged
}

TEST_F(TimeTest, ReportsEachStepBackByMoreThanASecondOnce) {
    EXPECT_EQ(time_.now(), noon);
    for (int step = 1; step <= 2; ++step) {
        real_ = noon - 2s;
        EXPECT_GE(time_.now(), noon);
        EXPECT_GE(time_.now(), noon);
        EXPECT_EQ(log_.lines().size(), static_cast<std::size_t>(step));
        real_ = noon + step * 1s;
        EXPECT_EQ(time_.now(), real_);
    }
    EXPECT_EQ(log_.lines()[0].event_name, "clock.skew");
}

TEST(TestTime, StandsStillUntilItIsMoved) {
    RecordedLog log;
    Time time{Time::Mode::test, noon, {}, log};
    EXPECT_EQ(time.now(), noon);
    time.move(noon + 1h);
    EXPECT_EQ(time.now(), noon + 1h);
}

}  // namespace
}  // namespace sundial::sqlite
