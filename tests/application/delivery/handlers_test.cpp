#include "application/delivery/handlers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/builders.hpp"

namespace sundial {
namespace {

Outcome run(const Handler& handler) { return run_handler(handler, an_event()); }

TEST(Handlers, AreFoundByTheTypeOfTheEvent) {
    Handlers handlers;
    handlers.on("BIRTHDAY", [](const Event&) { return Handled{}; });
    EXPECT_NE(handlers.find("BIRTHDAY"), nullptr);
    EXPECT_EQ(handlers.find("REMINDER"), nullptr);
}

TEST(Handlers, AreReplacedByALaterOne) {
    Handlers handlers;
    handlers.on("BIRTHDAY", [](const Event&) { return Handled{}; });
    handlers.on("BIRTHDAY", [](const Event&) { return Handled{Verdict::permanent, "no"}; });
    EXPECT_EQ(run(*handlers.find("BIRTHDAY")).verdict, Verdict::permanent);
}

TEST(Handlers, AcceptByReturning) {
    const Outcome outcome = run([](const Event&) { return Handled{}; });
    EXPECT_EQ(outcome.verdict, Verdict::accepted);
    EXPECT_EQ(failure_reason(outcome), "");
}

TEST(Handlers, RefuseForGoodWithAReason) {
    const Outcome outcome =
        run([](const Event&) { return Handled{Verdict::permanent, "unknown customer"}; });
    EXPECT_EQ(outcome.verdict, Verdict::permanent);
    EXPECT_EQ(failure_reason(outcome), "WORKER unknown customer");
}

TEST(Handlers, AreTriedAgainWhenTheyThrow) {
    const Outcome outcome =
        run([](const Event&) -> Handled { throw std::runtime_error("no connection"); });
    EXPECT_EQ(outcome.verdict, Verdict::retryable);
    EXPECT_EQ(failure_reason(outcome), "WORKER no connection");
    EXPECT_EQ(run([](const Event&) -> Handled { throw 7; }).verdict, Verdict::retryable);
}

TEST(Handlers, MayGiveAnyReason) {
    const Outcome refused = run([](const Event&) {
        return Handled{Verdict::permanent, "no\n\xff" + std::string(100'000, 'x')};
    });
    EXPECT_EQ(refused.error_text, "no \uFFFD" + std::string(996, 'x'));
    const Outcome thrown = run([](const Event&) -> Handled { throw std::runtime_error("a\tb"); });
    EXPECT_EQ(thrown.error_text, "a b");
}

TEST(Handlers, SnoozeWithoutAVerdict) {
    const Instant then = noon + std::chrono::hours{3};
    const Outcome outcome = run([&](const Event&) { return Handled{.again_at = then}; });
    EXPECT_EQ(outcome.again_at, then);
}

TEST(Handlers, OfOneTypeCanHaveThreadsOfTheirOwn) {
    Handlers handlers;
    const auto done = [](const Event&) { return Handled{}; };
    EXPECT_TRUE(handlers.pools(64).empty());
    handlers.on("BIRTHDAY", done);
    handlers.on("REMINDER", done);
    handlers.on("REPORT", done, {.threads = 3});
    const auto pools = handlers.pools(64);
    ASSERT_EQ(pools.size(), 2U);
    EXPECT_EQ(pools[0].lanes, std::vector{Lane{"REPORT"}});
    EXPECT_EQ(pools[0].limit, 6U);
    EXPECT_EQ(pools[1].lanes, (std::vector{Lane{"BIRTHDAY"}, Lane{"REMINDER"}}));
    EXPECT_EQ(pools[1].limit, 64U);
    EXPECT_EQ(handlers.terms("REPORT").threads, 3U);
}

}  // namespace
}  // namespace sundial
