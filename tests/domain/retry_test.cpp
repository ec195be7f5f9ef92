#include "domain/retry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr double no_jitter = 0.5;
const RetryPolicy standard{};
const RetryPolicy seed{.kind = RetryPolicy::Kind::seed};
const RetryPolicy own{.kind = RetryPolicy::Kind::custom, .custom = {7s, 1h}};

TEST(NextDelay, FollowsTheTableOfThePolicyAndThenEnds) {
    const std::chrono::seconds table[]{1s, 2s, 4s, 30s, 5min, 30min, 2h, 5h, 10h, 24h};
    std::uint32_t retry_count = 0;
    for (const auto delay : table) {
        EXPECT_EQ(next_delay(standard, ++retry_count, no_jitter, std::nullopt), delay);
    }
    EXPECT_EQ(next_delay(standard, 11, no_jitter, std::nullopt), std::nullopt);
}

TEST(NextDelay, KnowsTheSeedsPolicyAndOnesOwn) {
    EXPECT_EQ(next_delay(seed, 3, no_jitter, std::nullopt), 4s);
    EXPECT_EQ(next_delay(seed, 4, no_jitter, std::nullopt), std::nullopt);
    EXPECT_EQ(next_delay(own, 1, no_jitter, std::nullopt), 7s);
    EXPECT_EQ(next_delay(own, 2, no_jitter, std::nullopt), 1h);
    EXPECT_EQ(next_delay(own, 3, no_jitter, std::nullopt), std::nullopt);
}

TEST(NextDelay, WaitsAsLongAsTheReceiverAsks) {
    EXPECT_EQ(next_delay(standard, 1, no_jitter, 120s), 120s);
    EXPECT_EQ(next_delay(standard, 5, no_jitter, 120s), 5min);
}

TEST(NextDelay, DoesNotGrantAnAttemptBecauseTheReceiverAsksToWait) {
    EXPECT_EQ(next_delay(seed, 4, no_jitter, 120s), std::nullopt);
}

TEST(NextDelay, SpreadsOverATenthToEachSide) {
    EXPECT_EQ(next_delay(standard, 4, 0.0, std::nullopt), 27s);
    EXPECT_GT(*next_delay(standard, 4, 0.999999, std::nullopt), 32s);
}

RC_GTEST_PROP(NextDelay, StaysWithinItsBounds, (unsigned random, unsigned short requested)) {
    const auto retry_count = *rc::gen::inRange<std::uint32_t>(1, 11);
    const double unit = random / 4294967296.0;
    const std::chrono::seconds retry_after{requested};
    const std::chrono::microseconds delay = delays(standard)[retry_count - 1];
    const auto next = next_delay(standard, retry_count, unit, retry_after);
    RC_ASSERT(next.has_value());
    RC_ASSERT(*next >= retry_after);
    RC_ASSERT(*next >= delay * 9 / 10 - 1us);  // a microsecond for rounding
    RC_ASSERT(*next <= delay * 11 / 10 || *next == retry_after);
}

}  // namespace
}  // namespace sundial
