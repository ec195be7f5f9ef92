#include "application/delivery/claim_ahead.hpp"

#include <gtest/gtest.h>

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// `count` attempts end one at a time, each `apart` after the one before.
Mono end(ClaimAhead& ahead, int count, Mono apart, Mono from) {
    for (int i = 0; i < count; ++i) ahead.ended(from += apart);
    return from;
}

TEST(ClaimAhead, IsZeroAtTheStart) { EXPECT_EQ(ClaimAhead{}.events(1000s), 0U); }

TEST(ClaimAhead, CoversFiftyMillisecondsOfAttempts) {
    ClaimAhead ahead;
    const Mono now = end(ahead, 1000, 1ms, 1000s);
    EXPECT_EQ(ahead.events(now), 50U);
}

TEST(ClaimAhead, IsZeroIfAttemptsAreSlow) {
    ClaimAhead ahead;
    const Mono now = end(ahead, 20, 100ms, 1000s);
    EXPECT_EQ(ahead.events(now), 0U);
}

TEST(ClaimAhead, IsZeroSoonAfterTheLastAttempt) {
    ClaimAhead ahead;
    const Mono now = end(ahead, 1000, 1ms, 1000s);
    EXPECT_GT(ahead.events(now + 90ms), 0U);
    EXPECT_EQ(ahead.events(now + 200ms), 0U);
}

TEST(ClaimAhead, HasABound) {
    ClaimAhead ahead;
    const Mono now = end(ahead, 1'000'000, 1us, 1000s);
    EXPECT_EQ(ahead.events(now), 1000U);
}

}  // namespace
}  // namespace sundial
