#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "sundial/engine.hpp"
#include "support/engine_on_each.hpp"

/// Tests handlers as an embedding program registers them: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::Engine;
using sundial::Event;
using sundial::Handled;
using sundial::Options;
using testing::ElementsAre;
using testing::HasSubstr;

struct Reminder {
    static constexpr const char* type = "REMINDER";
    static std::optional<Reminder> parse(const std::string& payload) {
        if (payload.find("text") == std::string::npos) return std::nullopt;
        return Reminder{payload.size()};
    }
    std::size_t length = 0;
};

class HandlersOnEach : public sundial::EngineOnEach {};

/// More slow events are due than an engine takes at once.
TEST_P(HandlersOnEach, OfOneTypeDoNotDelayAnother) {
    std::latch slow_runs{2}, go_on{1};
    std::promise<void> own, shared;
    Engine engine = opened({.handler_threads = 1});
    engine.on("SLOW",
              [&](const Event&) {
                  slow_runs.count_down();
                  go_on.wait();
                  return Handled::done();
              },
              {.threads = 2});
    const auto tell = [](std::promise<void>& reported) {
        return [&reported](const Event&) {
            reported.set_value();
            return Handled::done();
        };
    };
    engine.on("OWN", tell(own), {.threads = 1});
    engine.on("SHARED", tell(shared));
    const auto now = *engine.now();
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(engine.schedule({.type = "SLOW", .at = now}));
    engine.start();
    slow_runs.wait();
    ASSERT_TRUE(engine.schedule({.type = "OWN", .at = now}));
    ASSERT_TRUE(engine.schedule({.type = "SHARED", .at = now}));
    own.get_future().wait();
    shared.get_future().wait();
    go_on.count_down();
}

/// The engine takes all events, although it holds few of them at once.
TEST_P(HandlersOnEach, WithThreadsOfTheirOwnHandleEveryEventOnce) {
    constexpr std::uint64_t each = 300;
    Engine engine = opened({.test_clock = true});
    std::atomic<std::uint64_t> own = 0, shared = 0;
    engine.on("OWN",
              [&](const Event&) {
                  ++own;
                  return Handled::done();
              },
              {.threads = 2});
    engine.on("SHARED", [&](const Event&) {
        ++shared;
        return Handled::done();
    });
    const auto now = *engine.now();
    for (std::uint64_t i = 0; i < each; ++i) {
        ASSERT_TRUE(engine.schedule({.type = "OWN", .at = now}));
        ASSERT_TRUE(engine.schedule({.type = "SHARED", .at = now}));
    }
    EXPECT_EQ(*engine.advance(1s), 2 * each);
    EXPECT_EQ(own, each);
    EXPECT_EQ(shared, each);
}

TEST_P(HandlersOnEach, SnoozeAnEventWithoutUsingAnAttempt) {
    Engine engine = opened({.test_clock = true});
    std::vector<sundial::Instant> calls;
    engine.on("REMINDER", [&](const Event& event) {
        calls.push_back(*engine.now());
        if (calls.size() < 20) return Handled::snooze(*engine.now() + 1h);
        EXPECT_EQ(event.failure_reason, "");
        return Handled::done();
    });
    const auto begin = *engine.now();
    const auto event = engine.schedule({.type = "REMINDER", .at = begin});
    ASSERT_TRUE(event);
    EXPECT_EQ(*engine.advance(24h), 1U);
    // More often than an event has attempts.
    ASSERT_EQ(calls.size(), 20U);
    for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], begin + i * 1h);
    EXPECT_EQ(engine.find_event(event->id)->status, "COMPLETED");
}

TEST_P(HandlersOnEach, AreAskedToStopAfterTheirTimeLimit) {
    std::promise<void> done;
    Engine engine = opened({});
    engine.on("REPORT",
              [&](const Event& event, const std::stop_token& stop) {
                  if (event.attempt == 1) {
                      sundial::wait_for_stop(stop);
                      return Handled::retry("it took too long");
                  }
                  done.set_value();
                  return Handled::done();
              },
              {.time_limit = 1ms});
    engine.start();
    ASSERT_TRUE(engine.schedule({.type = "REPORT", .at = *engine.now()}));
    done.get_future().wait();
}

/// The result of a handler that was asked to stop is stored.
TEST_P(HandlersOnEach, AreAskedToStopWhenTheEngineDoesNotWaitLonger) {
    std::latch runs{1};
    Engine engine = opened({.stop_within = 0s});
    engine.on("REPORT",
              [&](const Event&, const std::stop_token& stop) {
                  runs.count_down();
                  sundial::wait_for_stop(stop);
                  return Handled::refuse("stopped half way");
              },
              {.time_limit = 1h});
    engine.start();
    const auto event = engine.schedule({.type = "REPORT", .at = *engine.now()});
    ASSERT_TRUE(event);
    runs.wait();
    engine.stop();
    const auto after = engine.find_event(event->id);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->status, "FAILED");
    EXPECT_THAT(after->failure_reason, HasSubstr("half way"));
}

TEST_P(HandlersOnEach, GetEventsOfTheirOwnType) {
    Engine engine = opened({.test_clock = true});
    std::vector<std::size_t> lengths;
    engine.on<Reminder>([&](const Reminder& reminder, const Event& event) {
        EXPECT_EQ(event.type, "REMINDER");
        lengths.push_back(reminder.length);
        return Handled::done();
    });
    const auto now = *engine.now();
    const auto good =
        engine.schedule({.type = "REMINDER", .at = now, .payload = R"({"text":"tea"})"});
    const auto bad = engine.schedule({.type = "REMINDER", .at = now, .payload = "{}"});
    EXPECT_EQ(*engine.advance(1s), 1U);
    EXPECT_THAT(lengths, ElementsAre(14U));
    EXPECT_EQ(engine.find_event(good->id)->status, "COMPLETED");
    EXPECT_EQ(engine.find_event(bad->id)->status, "FAILED");
}

TEST_P(HandlersOnEach, AreReportedToTheProgram) {
    std::mutex mutex;
    std::vector<sundial::AttemptReport> reports;
    std::vector<sundial::LogRecord> records;
    Engine engine = opened({.test_clock = true,
                            .log_record =
                                [&](const sundial::LogRecord& record) {
                                    const std::lock_guard lock(mutex);
                                    records.push_back(record);
                                },
                            .on_attempt =
                                [&](const sundial::AttemptReport& report) {
                                    const std::lock_guard lock(mutex);
                                    reports.push_back(report);
                                    throw std::runtime_error("ignored");
                                }});
    engine.on("REMINDER", [&](const Event& event) {
        return event.attempt == 1 ? Handled::retry("not now") : Handled::done();
    });
    const auto event = engine.schedule({.type = "REMINDER", .at = *engine.now()});
    ASSERT_TRUE(event);
    EXPECT_EQ(*engine.advance(1min), 1U);
    const std::lock_guard lock(mutex);
    ASSERT_EQ(reports.size(), 2U);
    EXPECT_EQ(reports[0].event_id, event->id);
    EXPECT_EQ(reports[0].event_type, "REMINDER");
    EXPECT_FALSE(reports[0].accepted);
    EXPECT_FALSE(reports[0].refused);
    EXPECT_THAT(reports[0].error, HasSubstr("not now"));
    EXPECT_TRUE(reports[1].accepted);
    EXPECT_EQ(reports[1].attempt, 2U);
    const auto retrying =
        std::ranges::find(records, "event.retrying", &sundial::LogRecord::event_name);
    ASSERT_NE(retrying, records.end());
    EXPECT_FALSE(retrying->fields.empty());
}

INSTANTIATE_TEST_SUITE_P(Embedded, HandlersOnEach, testing::Values("memory", "sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
