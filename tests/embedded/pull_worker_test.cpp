#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>

#include "sundial/engine.hpp"

/// Tests workers of queues as an embedding program uses them: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::Engine;
using sundial::Event;
using testing::IsEmpty;
using testing::SizeIs;

Engine engine_in_memory(bool test_clock = true) {
    auto engine = Engine::open({.storage = "memory:", .test_clock = test_clock});
    if (!engine) throw std::runtime_error(engine.error().detail);
    return *std::move(engine);
}

TEST(EmbeddedPullWorker, TakesTheEventsOfAQueue) {
    Engine engine = engine_in_memory();
    ASSERT_TRUE(engine.create_queue("printers"));
    ASSERT_TRUE(engine.create_queue("printers"));  // it exists already
    const auto scheduled = [&](std::string payload) {
        const auto event = engine.schedule({.type = "PRINT",
                                            .at = *engine.now(),
                                            .payload = std::move(payload),
                                            .queue = "printers"});
        EXPECT_TRUE(event);
        return event->id;
    };
    const auto first = scheduled("[1]"), second = scheduled("[2]"), third = scheduled("[3]");
    sundial::PullWorker worker = engine.worker("printers", "printer-1");

    const auto work = worker.claim({.limit = 10, .lease = 30s});
    ASSERT_TRUE(work);
    ASSERT_THAT(*work, SizeIs(3));
    for (const Event& event : *work) {
        EXPECT_EQ(event.attempt, 1U);
        EXPECT_EQ(worker.extend(event, 1min)->version, event.version);
        if (event.payload == "[1]") {
            EXPECT_EQ(worker.complete(event)->status, "COMPLETED");
            EXPECT_EQ(worker.complete(event)->status, "COMPLETED");  // the first response was lost
        } else if (event.payload == "[2]") {
            EXPECT_EQ(worker.refuse(event, "no such page")->failure_reason, "WORKER no such page");
        } else {
            EXPECT_EQ(worker.fail(event, "no paper")->status, "PROCESSING");
            EXPECT_EQ(worker.complete(event).error().code, "LEASE_LOST");
        }
    }
    EXPECT_THAT(*worker.claim(), IsEmpty());
    EXPECT_EQ(*engine.advance(2s), 0U);
    const auto again = engine.worker("printers", "printer-2").claim();
    ASSERT_THAT(*again, SizeIs(1));
    EXPECT_EQ(again->front().id, third);
    EXPECT_EQ(again->front().attempt, 2U);
    EXPECT_EQ(worker.release(again->front())->status, "PROCESSING");

    EXPECT_EQ(engine.find_event(first)->status, "COMPLETED");
    EXPECT_EQ(engine.find_event(second)->status, "FAILED");
    EXPECT_EQ(engine.worker("scanners", "s-1").claim().error().code, "ENDPOINT_NOT_FOUND");
    EXPECT_EQ(worker.claim({.limit = 0}).error().code, "VALIDATION_FAILED");
    EXPECT_EQ(
        engine.schedule({.type = "PRINT", .at = *engine.now(), .queue = "scanners"}).error().code,
        "VALIDATION_FAILED");
}

TEST(EmbeddedPullWorker, WaitsForWork) {
    Engine engine = engine_in_memory(false);
    ASSERT_TRUE(engine.create_queue("printers"));
    sundial::PullWorker worker = engine.worker("printers", "printer-1");
    auto waiting = std::async(std::launch::async, [&] { return worker.claim({.wait = 1h}); });
    ASSERT_TRUE(engine.schedule({.type = "PRINT", .at = *engine.now(), .queue = "printers"}));
    EXPECT_THAT(*waiting.get(), SizeIs(1));

    auto in_vain = std::async(std::launch::async, [&] { return worker.claim({.wait = 1h}); });
    engine.stop();
    EXPECT_EQ(in_vain.get().error().code, "STOPPED");
}

TEST(EmbeddedPullWorker, ClaimsNothingFromAStoppedEngine) {
    Engine engine = engine_in_memory(false);
    ASSERT_TRUE(engine.create_queue("printers"));
    const auto event = engine.schedule({.type = "PRINT", .at = *engine.now(), .queue = "printers"});
    ASSERT_TRUE(event);
    engine.stop();
    sundial::PullWorker worker = engine.worker("printers", "printer-1");
    const auto work = worker.claim({.wait = 20s});
    ASSERT_FALSE(work);
    EXPECT_EQ(work.error().code, "STOPPED");
    EXPECT_EQ(engine.find_event(event->id)->status, "PENDING");
}

TEST(EmbeddedPullWorker, StoresAnyReasonAsValidText) {
    Engine engine = engine_in_memory();
    ASSERT_TRUE(engine.create_queue("printers"));
    ASSERT_TRUE(engine.schedule({.type = "PRINT", .at = *engine.now(), .queue = "printers"}));
    sundial::PullWorker worker = engine.worker("printers", "printer-1");
    const auto work = worker.claim();
    ASSERT_TRUE(work);
    ASSERT_THAT(*work, SizeIs(1));
    const auto failed = worker.refuse(work->front(), "no\npaper \xff" + std::string(100'000, 'x'));
    ASSERT_TRUE(failed) << failed.error().detail;
    EXPECT_EQ(failed->status, "FAILED");
    EXPECT_EQ(failed->failure_reason, "WORKER no paper \uFFFD" + std::string(990, 'x'));
}

}  // namespace
