#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

TEST_P(ClockContract, StandsStillUntilItIsMovedToTheMicrosecond) {
    EXPECT_TRUE(clock().is_test());
    EXPECT_EQ(clock().now(), noon);
    EXPECT_EQ(clock().now(), noon);
    EXPECT_TRUE(clock().set(noon + 1us));
    EXPECT_EQ(clock().now(), noon + 1us);
    EXPECT_TRUE(clock().set(noon + std::chrono::years{100}));
    EXPECT_EQ(clock().now(), noon + std::chrono::years{100});
}

TEST_P(ClockContract, NeverGoesBack) {
    EXPECT_TRUE(clock().set(noon));  // its current time
    EXPECT_TRUE(is<ValidationFailed>(clock().set(noon - 1us)));
    EXPECT_EQ(clock().now(), noon);
}

TEST_P(ClockContract, IsTheClockOfTransactionsAndOfTheQueue) {
    advance(3s + 1us);
    EXPECT_EQ(read([](Transaction& tx) { return tx.now(); }), noon + 3s + 1us);
    EXPECT_EQ(write([](Transaction& tx) { return tx.now(); }), noon + 3s + 1us);
    EXPECT_EQ(queue().peek(reminders_only).now, noon + 3s + 1us);
}

}  // namespace
}  // namespace sundial
