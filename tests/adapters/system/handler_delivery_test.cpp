#include "adapters/system/handler_delivery.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

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

/// Refuses threads after a number of them.
struct ScarceThreads {
    std::thread operator()(std::function<void()> work) const {
        if (*left == 0) {
            throw std::system_error(
                std::make_error_code(std::errc::resource_unavailable_try_again));
        }
        --*left;
        return std::thread(std::move(work));
    }
    std::atomic<std::size_t>* left;
};

struct CountedLines final : base::Log {
    void write(base::LogLine line) override {
        EXPECT_NE(line.message.find("refuses threads"), std::string::npos);
        ++count;
    }
    std::atomic<std::size_t> count = 0;
};

TEST(HandlerDelivery, GivesEventsBackWhileThereAreNoThreadsForThem) {
    std::atomic<std::size_t> left = 0;
    Handlers handlers;
    const BootClock clock;
    CountedLines log;
    HandlerDelivery delivery{handlers, clock, 2, always_permitted, &log, ScarceThreads{&left}};
    handlers.on(an_event().build().type, [](const Event&) { return Handled{}; });
    const auto outcome = [&] {
        std::promise<Outcome> promise;
        delivery.start({.event = an_event(), .endpoint = {}, .target_time = {}, .now = noon},
                       [&](Outcome result) { promise.set_value(std::move(result)); });
        return promise.get_future().get();
    };
    const Outcome given_back = outcome();
    EXPECT_FALSE(given_back.begun);
    EXPECT_EQ(given_back.again_at, noon + std::chrono::seconds{1});
    EXPECT_EQ(log.count, 1U);
    // One of two threads: the other stays refused, which is not said again for each event.
    left = 1;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome().verdict, Verdict::accepted);
    EXPECT_EQ(log.count, 1U);
    left = 1;
    EXPECT_EQ(outcome().verdict, Verdict::accepted);
    EXPECT_EQ(log.count, 1U);
}

/// A type with threads of its own and one without, whose handlers wait until they may go on.
struct TwoTypes : testing::Test {
    TwoTypes() {
        handlers.on("SLOW",
                    [this](const Event&, const std::stop_token& stop) {
                        slow_runs.count_down();
                        std::mutex mutex;
                        std::unique_lock lock(mutex);
                        std::condition_variable_any never;
                        never.wait(lock, stop, [] { return false; });
                        ++stopped;
                        return Handled{Verdict::retryable, "stopped"};
                    },
                    {.threads = 1, .time_limit = limit});
        handlers.on("QUICK", [](const Event&) { return Handled{}; });
    }
    Event start(const char* type, std::latch& done) {
        Event event = an_event();
        event.type = type;
        delivery.start({.event = event, .endpoint = {}, .target_time = {}, .now = noon},
                       [&](const Outcome&) { done.count_down(); });
        return event;
    }

    static constexpr Mono limit = std::chrono::hours{1};
    struct StillClock final : MonotonicClock {
        [[nodiscard]] Mono now() const override { return time; }
        std::atomic<Mono> time{Mono{0}};
    };
    Handlers handlers;
    StillClock clock;
    std::latch slow_runs{1};
    std::atomic<int> stopped = 0;
    HandlerDelivery delivery{handlers, clock, 1};
};

TEST_F(TwoTypes, DoNotWaitForEachOther) {
    std::latch slow(2), quick(10);
    start("SLOW", slow);
    start("SLOW", slow);
    slow_runs.wait();
    for (int i = 0; i < 10; ++i) start("QUICK", quick);
    quick.wait();
    EXPECT_EQ(stopped, 0);
    delivery.stop(Mono{0});
    slow.wait();
    EXPECT_EQ(stopped, 1);
}

TEST_F(TwoTypes, AreAskedToStopAtTheirTimeLimit) {
    std::latch slow(1);
    start("SLOW", slow);
    slow_runs.wait();
    EXPECT_EQ(delivery.stop_overdue(), limit);
    clock.time = limit - Mono{1};
    EXPECT_EQ(delivery.stop_overdue(), limit);
    EXPECT_FALSE(slow.try_wait());
    clock.time = limit;
    EXPECT_EQ(delivery.stop_overdue(), std::nullopt);
    slow.wait();
    EXPECT_EQ(stopped, 1);
}

TEST_F(TwoTypes, AreAskedToStopWhenTheirLeaseIsLost) {
    std::latch slow(1);
    Event event = start("SLOW", slow);
    slow_runs.wait();
    Event later = event;
    later.version = base::next(later.version);
    delivery.abandon(later);
    EXPECT_FALSE(slow.try_wait());
    delivery.abandon(event);
    slow.wait();
    EXPECT_EQ(stopped, 1);
}

/// A thread that wakes up for each event cost more than a handler that does nothing.
TEST(HandlerDelivery, WakesItsWatchForAnEarlierLimitOnly) {
    struct CountingClock final : MonotonicClock {
        [[nodiscard]] Mono now() const override {
            ++calls;
            return Mono{0};
        }
        mutable std::atomic<int> calls = 0;
    };
    constexpr int events = 100;
    Handlers handlers;
    // The watch sleeps until the limit in real time, longer than the test takes.
    handlers.on(an_event().build().type,
                [](const Event&, const std::stop_token&) { return Handled{}; },
                {.time_limit = std::chrono::hours{1}});
    CountingClock clock;
    HandlerDelivery delivery{handlers, clock, 1};
    for (int i = 0; i < events; ++i) {
        std::latch done(1);
        delivery.start({.event = an_event(), .endpoint = {}, .target_time = {}, .now = noon},
                       [&](const Outcome&) { done.count_down(); });
        done.wait();
    }
    delivery.stop();
    // Two for each event, and two for each turn of the watch: at its start, and for the first
    // limit.
    EXPECT_LE(clock.calls, 2 * events + 4);
}

/// A stop callback runs on the thread that asks for the stop.
TEST(HandlerDelivery, LetsAStopCallbackUseIt) {
    Handlers handlers;
    BootClock clock;
    HandlerDelivery delivery{handlers, clock, 1};
    std::latch runs(1), done(1);
    handlers.on("SLOW", [&](const Event&, const std::stop_token& stop) {
        std::latch asked(1);
        const std::stop_callback on_stop{stop, [&] {
                                             delivery.request_stop();
                                             asked.count_down();
                                         }};
        runs.count_down();
        asked.wait();
        return Handled{};
    });
    Event event = an_event();
    event.type = "SLOW";
    delivery.start({.event = event, .endpoint = {}, .target_time = {}, .now = noon},
                   [&](const Outcome&) { done.count_down(); });
    runs.wait();
    delivery.stop(Mono{0});
    done.wait();
}

}  // namespace
}  // namespace sundial::system
