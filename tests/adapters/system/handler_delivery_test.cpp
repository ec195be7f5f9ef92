#include "adapters/system/handler_delivery.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <thread>

#include "adapters/system/clocks.hpp"
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
                               if (!outcome.begun) ++never_begun;
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

    std::atomic<std::size_t> accepted = 0, never_begun = 0;
    Handlers handlers;
    BootClock clock;
    HandlerDelivery delivery{handlers, clock, threads};
};

TEST_F(HandlerDeliveryTest, CallsTheHandlerForEveryEventOfABurst) {
    constexpr std::size_t burst = 1000;
    std::latch all_done(burst);
    handle_by([] {});
    start(burst, all_done);
    all_done.wait();
    EXPECT_EQ(accepted, burst);
}

TEST_F(HandlerDeliveryTest, BeginsNoHandlerOnceTheHeartbeatOfTheInstanceHasEnded) {
    handle_by([] {});
    SendPermit permit;
    permit.begin(clock.now(), clock.now());
    HandlerDelivery silent{handlers, clock, threads, permit};
    std::promise<Outcome> outcome;
    silent.start({.event = an_event(),
                  .endpoint = {},
                  .target_time = {},
                  .now = noon,
                  .claimed = clock.now()},
                 [&](Outcome result) { outcome.set_value(std::move(result)); });
    EXPECT_FALSE(outcome.get_future().get().begun);
}

TEST_F(HandlerDeliveryTest, BeginsNothingMoreOnceItIsStopped) {
    constexpr std::size_t waiting = 100;
    std::latch running(threads), go_on(1), all_done(threads + waiting), late(1);
    handle_by([&] {
        running.count_down();
        go_on.wait();
    });
    start(threads, all_done);
    running.wait();
    start(waiting, all_done);
    std::thread stopping{[&] { delivery.stop(); }};
    while (!delivery.stopping()) std::this_thread::yield();
    go_on.count_down();
    stopping.join();
    all_done.wait();
    EXPECT_EQ(accepted, threads);
    start(1, late);
    late.wait();
    EXPECT_EQ(accepted, threads);
    EXPECT_EQ(never_begun, waiting + 1);
}

/// Issue 19, item 29: a handler that waited for the handlers would wait for itself.
TEST_F(HandlerDeliveryTest, EndsAfterAHandlerThatRequestsIt) {
    std::latch all_done(1), late(1);
    handle_by([&] { delivery.request_stop(); });
    start(1, all_done);
    all_done.wait();
    start(1, late);
    late.wait();
    delivery.stop();
    EXPECT_EQ(accepted, 1U);
    EXPECT_EQ(never_begun, 1U);
}

/// Each handler waits for the others: if a thread were left asleep, this would hang.
TEST_F(HandlerDeliveryTest, WakesAThreadForEachEvent) {
    std::latch all_done(threads);
    std::latch all_here(threads);
    handle_by([&] { all_here.arrive_and_wait(); });
    start(threads, all_done);
    all_done.wait();
    EXPECT_EQ(accepted, threads);
}

}  // namespace
}  // namespace sundial::system
