#include "adapters/system/handler_delivery.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>

#include "adapters/system/monotonic_clock.hpp"
#include "support/builders.hpp"

namespace sundial::system {
namespace {

constexpr std::size_t threads = 4;

struct HandlerDeliveryTest : testing::Test {
    void start(std::size_t count, std::latch& all_done) {
        for (std::size_t i = 0; i < count; ++i) {
            delivery.start({.event = an_event(), .endpoint = {}, .target_time = {}, .now = noon},
                           [&](const Outcome& outcome) {
                               if (outcome.verdict == Verdict::accepted) ++accepted;
                               all_done.count_down();
                           });
        }
    }
    void handle_by(std::function<void()> work) {
        handlers.on(an_event().build().type, [work = std::move(work)](const Event&) {
            work();
            return Handled{};
        });
    }

    std::atomic<std::size_t> accepted = 0;
    Handlers handlers;
    BootClock clock;
    HandlerDelivery delivery{handlers, clock, threads};
};

TEST_F(HandlerDeliveryTest, BringsEveryEventOfABurstToItsHandler) {
    constexpr std::size_t burst = 1000;
    std::latch all_done(burst);
    handle_by([] {});
    start(burst, all_done);
    all_done.wait();
    EXPECT_EQ(accepted, burst);
}

/// Each handler waits for the others: with a thread left asleep this would hang.
TEST_F(HandlerDeliveryTest, WakesAsManyThreadsAsThereIsWorkFor) {
    std::latch all_done(threads);
    std::latch all_here(threads);
    handle_by([&] { all_here.arrive_and_wait(); });
    start(threads, all_done);
    all_done.wait();
    EXPECT_EQ(accepted, threads);
}

}  // namespace
}  // namespace sundial::system
