#include "application/delivery/database_time.hpp"

#include <gtest/gtest.h>

#include "support/builders.hpp"

namespace sundial {
namespace {

/// The database's clock shows noon at our 100 s. It is read some time after a call was sent.
class DatabaseTimeTest : public testing::Test {
protected:
    void call(Mono asked, Mono there, Mono back) {
        time.read(noon + (asked + there - 100s), asked, asked + there + back);
    }
    DatabaseTime time;
};

TEST_F(DatabaseTimeTest, IsTheTimeOfTheLastAnswer) {
    call(100s, 200us, 500us);
    EXPECT_EQ(time.at(101s), noon + 1s - 500us);
    call(101s, 200us, 700us);
    EXPECT_EQ(time.at(102s), noon + 2s - 700us);
}

TEST_F(DatabaseTimeTest, UsesTheQuickestRecentCall) {
    call(100s, 200us, 500us);
    EXPECT_EQ(time.for_a_call(101s), noon + 1s + 200us);
    call(101s, 900us, 500us);
    EXPECT_EQ(time.for_a_call(102s), noon + 2s + 200us);
    call(102s, 150us, 500us);
    EXPECT_EQ(time.for_a_call(103s), noon + 3s + 150us);
}

TEST_F(DatabaseTimeTest, ForgetsOldMeasurements) {
    call(100s, 200us, 500us);
    for (const Mono asked : {101s, 102s, 103s, 104s, 105s}) call(asked, 900us, 500us);
    EXPECT_EQ(time.for_a_call(106s), noon + 6s + 900us);
}

TEST_F(DatabaseTimeTest, FollowsAClockThatIsSetForwardOrBackAtOnce) {
    call(100s, 200us, 500us);
    time.read(noon + 61s, 101s, 101s + 1ms);
    EXPECT_EQ(time.for_a_call(102s), noon + 62s);
    time.read(noon - 58s, 102s, 102s + 1ms);
    EXPECT_EQ(time.for_a_call(103s), noon - 57s);
}

}  // namespace
}  // namespace sundial
