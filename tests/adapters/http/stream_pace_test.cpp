#include "adapters/http/stream_pace.hpp"

#include <gtest/gtest.h>

namespace sundial::http {
namespace {

using namespace std::chrono_literals;

class StreamPaceTest : public testing::Test {
protected:
    /// Advances the clock as a stream does that has no news. Returns how often it asked within
    /// `time`, each time in vain, and counts its signs of life.
    int asks_in(std::chrono::seconds time) {
        int asked = 0;
        for (const Mono end = now + time; now < end; now = pace.until(now)) {
            if (pace.may_ask(now)) {
                ++asked;
                pace.fail(now);
            }
            if (!pace.idle(now)) continue;
            ++signs;
            pace.sent(now);
        }
        return asked;
    }

    Mono now = 1h;
    StreamPace pace{0.0, now};
    int signs = 0;
};

TEST_F(StreamPaceTest, AsksAtOnceAndThenWaitsForNewsOrTheNextSignOfLife) {
    EXPECT_TRUE(pace.may_ask(now));
    EXPECT_EQ(pace.until(now), now + 15s);
    now += 4s;
    EXPECT_EQ(pace.until(now), now + 11s);
    pace.sent(now);
    EXPECT_EQ(pace.until(now), now + 15s);
    EXPECT_FALSE(pace.idle(now + 14s));
    EXPECT_TRUE(pace.idle(now + 15s));
}

TEST_F(StreamPaceTest, AsksLessAndLessOftenWhilePiecesCannotBeRead) {
    // After 0, 0.1, 0.3, 0.7, 1.5, 3.1, 6.3 and 11.3 s, then every 5 s.
    EXPECT_EQ(asks_in(1s), 4);
    EXPECT_EQ(asks_in(9s), 3);
    EXPECT_EQ(asks_in(50s), 10);
}

TEST_F(StreamPaceTest, KeepsTheClientConnectedMeanwhile) {
    (void)asks_in(60s);
    EXPECT_EQ(signs, 3);
}

TEST_F(StreamPaceTest, NoticesAStopWithinHalfASecond) {
    for (int i = 0; i < 10; ++i) pace.fail(now);
    EXPECT_EQ(pace.until(now), now + 500ms);
    EXPECT_FALSE(pace.may_ask(now + 500ms));
}

TEST_F(StreamPaceTest, ForgetsFailuresAfterASuccess) {
    (void)asks_in(60s);
    pace.sent(now);
    pace.succeed();
    EXPECT_FALSE(pace.failing());
    EXPECT_TRUE(pace.may_ask(now));
    pace.fail(now);
    EXPECT_EQ(pace.until(now), now + 100ms);
}

TEST_F(StreamPaceTest, SpreadsTheStreamsOfAnOutage) {
    StreamPace other{0.5, now};
    pace.fail(now);
    other.fail(now);
    EXPECT_EQ(pace.until(now), now + 100ms);
    EXPECT_EQ(other.until(now), now + 75ms);
}

}  // namespace
}  // namespace sundial::http
