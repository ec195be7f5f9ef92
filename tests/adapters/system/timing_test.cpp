#include "sundial/timing.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "sundial/retry.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

TEST(RealTiming, SleepsUntilTheMomentAndNotLess) {
    const auto when = real_timing().now() + 2ms;
    real_timing().sleep_until(when, {});
    EXPECT_GE(real_timing().now(), when);
}

/// Measures the shortest of several tries: on a busy machine a thread may wait longer than any
/// sleep.
TEST(RealTiming, RT08_AStopRequestEndsADelayWithin10Milliseconds) {
    auto shortest = 1h + 0ns;
    for (int i = 0; i < 1'000 && shortest > 10ms; ++i) {
        std::stop_source stop;
        Timing::Moment requested;
        std::atomic<bool> called = false;
        const std::jthread stopper{[&] {
            called.wait(false);
            requested = real_timing().now();
            stop.request_stop();
        }};
        const auto answer =
            retry({.base = 1h, .cap = 1h, .jitter = Jitter::none, .stop = stop.get_token()},
                  [&]() -> embedding::Result<int> {
                      called = true;
                      called.notify_one();
                      return embedding::Error{"OPTIMISTIC_LOCK", ""};
                  });
        const auto now = real_timing().now();
        ASSERT_EQ(answer.error().code, "STOPPED");
        shortest = std::min(shortest,
                            std::chrono::duration_cast<std::chrono::nanoseconds>(now - requested));
    }
    EXPECT_LE(shortest, 10ms);
}

}  // namespace
}  // namespace sundial
