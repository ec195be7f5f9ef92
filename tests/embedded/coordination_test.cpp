#include "sundial/coordination.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <latch>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sundial/engine.hpp"
#include "support/migrated_database.hpp"
#include "support/results.hpp"
#include "support/temporary_folder.hpp"

/// Tests the semaphore and the leader through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::code_of;
using sundial::Engine;
using sundial::Permit;
using sundial::Semaphore;

class CoordinationOnEach : public testing::TestWithParam<std::string> {
protected:
    CoordinationOnEach() {
        auto opened =
            Engine::open({.storage = GetParam() == "sqlite" ? "sqlite:" + folder_.file().string()
                                                            : sundial::migrated_database()});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
    }
    Engine& engine() { return *engine_; }

private:
    sundial::TemporaryFolder folder_;
    std::optional<Engine> engine_;
};

TEST_P(CoordinationOnEach, GivesAtMostThePermitsOfASemaphore) {
    const Semaphore gateway{engine(), "gateway", 3};
    std::vector<Permit> permits;
    std::set<std::size_t> numbers;
    for (int i = 0; i < 3; ++i) {
        auto permit = gateway.acquire();
        ASSERT_TRUE(permit) << permit.error().detail;
        numbers.insert(permit->number());
        permits.push_back(*std::move(permit));
    }
    EXPECT_EQ(numbers, (std::set<std::size_t>{0, 1, 2}));
    EXPECT_EQ(code_of(gateway.acquire()), "LOCK_HELD");
    const std::size_t given_back = permits[1].number();
    const std::uint64_t token = permits[1].fencing_token();
    permits.erase(permits.begin() + 1);
    const auto again = gateway.acquire();
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_EQ(again->number(), given_back);
    EXPECT_GT(again->fencing_token(), token);
    EXPECT_FALSE(again->lost().stop_requested());
}

TEST_P(CoordinationOnEach, WaitsForAPermitOfASemaphore) {
    const Semaphore gateway{engine(), "gateway", 2};
    auto first = gateway.acquire();
    auto second = gateway.acquire();
    ASSERT_TRUE(first && second);
    std::latch waits{1};
    std::jthread waiter([&] {
        waits.count_down();
        EXPECT_TRUE(gateway.acquire({.wait = 1h}));
    });
    waits.wait();
    {
        const Permit ends = *std::move(second);
    }
    waiter.join();
}

TEST_P(CoordinationOnEach, RefusesASemaphoreWithoutPermits) {
    for (const std::size_t permits : {0U, 1'001U}) {
        const Semaphore wrong{engine(), "gateway", permits};
        EXPECT_EQ(code_of(wrong.acquire()), "VALIDATION_FAILED") << permits;
    }
    const Semaphore own{engine(), "sundial.mine", 1};
    EXPECT_EQ(code_of(own.acquire()), "VALIDATION_FAILED");
}

TEST_P(CoordinationOnEach, HasOneLeaderAtATimeAndASuccessor) {
    std::latch leads{1};
    std::uint64_t first_term = 0, second_term = 0;
    std::stop_source stop;
    std::jthread first([&] {
        const auto led = sundial::lead(
            engine(), "feed",
            [&](const std::stop_token& ends, std::uint64_t term) {
                first_term = term;
                std::latch ended{1};
                const std::stop_callback on_end{ends, [&] { ended.count_down(); }};
                leads.count_down();
                EXPECT_EQ(code_of(engine().acquire_lock("feed")), "LOCK_HELD");
                ended.wait();
            },
            stop.get_token());
        EXPECT_TRUE(led) << led.error().detail;
    });
    leads.wait();
    std::jthread second([&] {
        const auto led =
            sundial::lead(engine(), "feed", [&](const std::stop_token&, std::uint64_t term) {
                EXPECT_TRUE(stop.stop_requested());
                second_term = term;
            });
        EXPECT_TRUE(led) << led.error().detail;
    });
    stop.request_stop();
    first.join();
    second.join();
    EXPECT_GT(second_term, first_term);
}

TEST_P(CoordinationOnEach, ReportsWhatALeadersWorkThrows) {
    const auto led = sundial::lead(engine(), "feed", [](const std::stop_token&, std::uint64_t) {
        throw std::runtime_error("no prices");
    });
    ASSERT_EQ(code_of(led), "INTERNAL_ERROR");
    EXPECT_EQ(led.error().detail, "no prices");
    EXPECT_TRUE(engine().acquire_lock("feed"));
}

TEST_P(CoordinationOnEach, DoesNotLeadOnceItIsAskedToStop) {
    std::stop_source stop;
    stop.request_stop();
    const auto led = sundial::lead(
        engine(), "feed", [](const std::stop_token&, std::uint64_t) { ADD_FAILURE(); },
        stop.get_token());
    EXPECT_TRUE(led);
}

INSTANTIATE_TEST_SUITE_P(Embedded, CoordinationOnEach, testing::Values("sqlite", "postgres"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
