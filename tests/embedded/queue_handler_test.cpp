#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <latch>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "sundial/engine.hpp"
#include "support/engine_on_each.hpp"
#include "support/results.hpp"

/// Tests handlers of queues as an embedding program registers them: through the public headers
/// alone.
namespace {

using namespace std::chrono_literals;
using sundial::AttemptReport;
using sundial::code_of;
using sundial::Engine;
using sundial::Event;
using sundial::Handled;
using sundial::Options;
using testing::HasSubstr;

struct Parcel {
    static constexpr const char* type = "PARCEL";
    static std::optional<Parcel> parse(const std::string& payload) {
        if (payload.find("weight") == std::string::npos) return std::nullopt;
        return Parcel{payload.size()};
    }
    std::size_t size = 0;
};

class QueueHandlersOnEach : public sundial::EngineOnEach {
protected:
    static std::string due(Engine& engine, const std::string& queue,
                           const std::string& payload = "{}") {
        const auto event = engine.schedule(
            {.type = "PARCEL", .at = *engine.now(), .payload = payload, .queue = queue});
        if (!event) throw std::runtime_error(event.error().detail);
        return event->id;
    }
    /// Whether an event stays with its handler for longer than two leases.
    bool keeps(std::chrono::microseconds lease) {
        const std::string queue = "parcels-" + std::to_string(lease.count());
        std::latch runs{1}, go_on{1}, ended{1};
        std::atomic<bool> is_accepted = false, is_stopped = false;
        Engine engine = opened({.on_attempt = [&](const AttemptReport& report) {
            is_accepted = report.accepted;
            ended.count_down();
        }});
        EXPECT_TRUE(engine.on_queue(queue,
                                    [&](const Event&, const std::stop_token& stop) {
                                        runs.count_down();
                                        go_on.wait();
                                        is_stopped = stop.stop_requested();
                                        return Handled::done();
                                    },
                                    {.time_limit = 1h, .lease = lease}));
        due(engine, queue);
        engine.start();
        runs.wait();
        const auto claimed = engine.worker(queue, "other").claim({.wait = lease * 9 / 4});
        EXPECT_TRUE(claimed);
        go_on.count_down();
        if (!claimed || !claimed->empty()) return false;
        ended.wait();
        return is_accepted && !is_stopped;
    }
};

TEST_P(QueueHandlersOnEach, HandleEveryEventOnce) {
    constexpr int events = 50;
    std::latch ended{events};
    std::atomic<int> calls = 0;
    Engine engine = opened({.on_attempt = [&](const AttemptReport& report) {
        EXPECT_TRUE(report.accepted);
        ended.count_down();
    }});
    ASSERT_TRUE(engine.on_queue("parcels", [&](const Event&) { return ++calls, Handled::done(); },
                                {.threads = 3}));
    std::string last;
    for (int i = 0; i < events; ++i) last = due(engine, "parcels");
    engine.start();
    ended.wait();
    engine.stop();
    EXPECT_EQ(calls, events);
    EXPECT_EQ(engine.find_event(last)->status, "COMPLETED");
}

/// Its threads use the first handler, so a second one cannot replace it.
TEST_P(QueueHandlersOnEach, CannotBeAddedOnceTheEngineIsStarted) {
    std::promise<void> reported;
    const auto first = [&](const Event&) {
        reported.set_value();
        return Handled::done();
    };
    const auto second = [](const Event&) { return Handled::refuse("the second handler"); };
    Engine engine = opened({});
    ASSERT_TRUE(engine.on_queue("parcels", first));
    engine.start();
    const auto late = engine.on_queue("parcels", second);
    EXPECT_EQ(code_of(late), "VALIDATION_FAILED");
    EXPECT_THAT(late.error().detail, HasSubstr("before the engine is started"));
    EXPECT_EQ(code_of(engine.on_queue("letters", second)), "VALIDATION_FAILED");
    const std::string event = due(engine, "parcels");
    reported.get_future().wait();
    engine.stop();
    EXPECT_EQ(engine.find_event(event)->status, "COMPLETED");
}

TEST_P(QueueHandlersOnEach, DoNotWaitForAnotherQueue) {
    std::latch slow_runs{2}, go_on{1};
    std::promise<void> reported;
    Engine engine = opened({});
    ASSERT_TRUE(engine.on_queue("slow",
                                [&](const Event&) {
                                    slow_runs.count_down();
                                    go_on.wait();
                                    return Handled::done();
                                },
                                {.threads = 2}));
    ASSERT_TRUE(engine.on_queue("fast", [&](const Event&) {
        reported.set_value();
        return Handled::done();
    }));
    due(engine, "slow");
    due(engine, "slow");
    engine.start();
    slow_runs.wait();
    due(engine, "fast");
    reported.get_future().wait();
    go_on.count_down();
}

TEST_P(QueueHandlersOnEach, SnoozeWithoutAnAttempt) {
    std::latch ended{1};
    int calls = 0;
    Engine engine = opened({.on_attempt = [&](const AttemptReport&) { ended.count_down(); }});
    ASSERT_TRUE(engine.on_queue("parcels", [&](const Event& event) {
        return ++calls < 3 ? Handled::snooze(event.due) : Handled::done();
    }));
    const std::string id = due(engine, "parcels");
    engine.start();
    ended.wait();
    engine.stop();
    EXPECT_EQ(calls, 3);
    const auto event = engine.find_event(id);
    EXPECT_EQ(event->status, "COMPLETED");
    EXPECT_EQ(event->retry_count, 0U);
}

TEST_P(QueueHandlersOnEach, RefuseAndFail) {
    std::latch ended{2};
    Engine engine = opened({.on_attempt = [&](const AttemptReport&) { ended.count_down(); }});
    ASSERT_TRUE(engine.on_queue<Parcel>("typed", [](const Parcel& parcel, const Event&) {
        return Handled::refuse("size " + std::to_string(parcel.size));
    }));
    ASSERT_TRUE(engine.on_queue(
        "broken", [](const Event&) -> Handled { throw std::runtime_error("out of paper"); }));
    ASSERT_TRUE(engine.change_endpoint("ext:broken", {.retry_delays = std::vector{1h + 0s}}));
    const std::string wrong = due(engine, "typed", R"({"weight":1})");
    const std::string thrown = due(engine, "broken");
    engine.start();
    ended.wait();
    engine.stop();
    EXPECT_EQ(engine.find_event(wrong)->status, "FAILED");
    EXPECT_THAT(engine.find_event(wrong)->failure_reason, HasSubstr("size 12"));
    EXPECT_EQ(engine.find_event(thrown)->status, "PROCESSING");
    EXPECT_EQ(engine.find_event(thrown)->retry_count, 1U);
}

TEST_P(QueueHandlersOnEach, AreAskedToStopAfterTheirTimeLimit) {
    std::latch ended{1};
    Engine engine = opened({.on_attempt = [&](const AttemptReport&) { ended.count_down(); }});
    ASSERT_TRUE(engine.on_queue("parcels",
                                [](const Event&, const std::stop_token& stop) {
                                    sundial::wait_for_stop(stop);
                                    return Handled::done();
                                },
                                {.time_limit = 10ms}));
    due(engine, "parcels");
    engine.start();
    ended.wait();
}

TEST_P(QueueHandlersOnEach, AreAskedToStopWhenTheEngineStops) {
    std::latch runs{1};
    Engine engine = opened({.stop_within = 10ms});
    ASSERT_TRUE(engine.on_queue("parcels",
                                [&](const Event&, const std::stop_token& stop) {
                                    runs.count_down();
                                    sundial::wait_for_stop(stop);
                                    return Handled::done();
                                },
                                {.time_limit = 1h}));
    const std::string id = due(engine, "parcels");
    engine.start();
    runs.wait();
    engine.stop();
    EXPECT_EQ(engine.find_event(id)->status, "COMPLETED");  // its outcome is stored
}

/// A busy machine may extend a short lease too late, and a long lease takes long to test.
TEST_P(QueueHandlersOnEach, KeepTheirLease) {
    for (std::chrono::microseconds lease = 2s; lease <= 16s; lease *= 2) {
        if (keeps(lease)) return;
    }
    FAIL() << "another worker got the event";
}

/// The engine is destroyed by the handler that it calls.
TEST_P(QueueHandlersOnEach, MayDestroyTheirEngine) {
    std::promise<std::string> destroyed;
    std::optional<Engine> engine;
    engine.emplace(opened({}));
    ASSERT_TRUE(engine->on_queue("parcels", [&](const Event& event) {
        engine.reset();
        destroyed.set_value(event.id);
        return Handled::done();
    }));
    const std::string id = due(*engine, "parcels");
    engine->start();
    EXPECT_EQ(destroyed.get_future().get(), id);
}

TEST_P(QueueHandlersOnEach, RefuseWrongTerms) {
    Engine engine = opened({});
    const auto handler = [](const Event&) { return Handled::done(); };
    EXPECT_EQ(code_of(engine.on_queue("", handler)), "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine.on_queue("parcels", handler, {.time_limit = 0s})),
              "VALIDATION_FAILED");
    EXPECT_EQ(code_of(engine.on_queue("parcels", handler, {.lease = 999ms})), "VALIDATION_FAILED");
}

TEST_P(QueueHandlersOnEach, ComeBackForASnoozedEventOfAWorker) {
    Engine engine = opened({.test_clock = true});
    ASSERT_TRUE(engine.create_queue("parcels"));
    due(engine, "parcels");
    auto worker = engine.worker("parcels", "one");
    const auto claimed = worker.claim();
    ASSERT_TRUE(claimed && claimed->size() == 1);
    const auto snoozed = worker.snooze(claimed->front(), *engine.now() + 1h);
    ASSERT_TRUE(snoozed) << snoozed.error().detail;
    EXPECT_EQ(snoozed->retry_count, 0U);
    EXPECT_TRUE(worker.claim()->empty());
    ASSERT_TRUE(engine.advance(59min));
    EXPECT_TRUE(worker.claim()->empty());
    ASSERT_TRUE(engine.advance(1min));
    EXPECT_EQ(worker.claim()->size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Storage, QueueHandlersOnEach,
                         testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
