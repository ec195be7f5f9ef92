#include "adapters/http/blocking_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace sundial::http {
namespace {

TEST(BlockingPool, RunsAcceptedJobs) {
    std::atomic<int> ran = 0;
    std::latch all(100);
    BlockingPool pool(4, 100);
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(pool.try_run([&] {
            ++ran;
            all.count_down();
        }));
    }
    all.wait();
    EXPECT_EQ(ran, 100);
}

TEST(BlockingPool, RefusesJobsBeyondItsQueue) {
    std::latch running(1);
    std::promise<void> go_on;
    const std::shared_future<void> released = go_on.get_future().share();
    std::atomic<int> ran = 0;
    BlockingPool pool(1, 2);
    ASSERT_TRUE(pool.try_run([&] {
        running.count_down();
        released.wait();
    }));
    running.wait();
    EXPECT_TRUE(pool.try_run([&] { ++ran; }));
    EXPECT_TRUE(pool.try_run([&] { ++ran; }));
    EXPECT_FALSE(pool.try_run([&] { ++ran; }));
    go_on.set_value();
}

TEST(BlockingPool, LetsClientsTakeTurns) {
    std::latch running(1), all(5);
    std::promise<void> go_on;
    std::vector<std::string> ran;
    BlockingPool pool(1, 3);
    ASSERT_TRUE(pool.try_run([&] {
        running.count_down();
        go_on.get_future().wait();
    }));
    running.wait();
    const auto queue = [&](const std::string& client) {
        return pool.try_run(
            [&ran, &all, client] {
                ran.push_back(client);  // one thread at a time
                all.count_down();
            },
            client);
    };
    EXPECT_TRUE(queue("a") && queue("a") && queue("a"));
    EXPECT_FALSE(queue("a"));
    EXPECT_TRUE(queue("b") && queue("b"));
    go_on.set_value();
    all.wait();
    EXPECT_EQ(ran, (std::vector<std::string>{"a", "b", "a", "b", "a"}));
}

TEST(BlockingPool, LowersThePriorityOfItsThreadsOnly) {
    const auto priority = [] { return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())); };
    const int before = priority();
    std::promise<int> of_pool;
    BlockingPool pool(1, 1, 5);
    ASSERT_TRUE(pool.try_run([&] { of_pool.set_value(priority()); }));
    EXPECT_EQ(of_pool.get_future().get(), std::min(before + 5, 19));
    EXPECT_EQ(priority(), before);
}

TEST(BlockingPool, WaitsForRunningJobsWhenDestroyed) {
    std::latch running(1);
    std::promise<void> go_on;
    std::atomic<bool> ended = false;
    std::thread releaser;
    {
        BlockingPool pool(1, 1);
        ASSERT_TRUE(pool.try_run([&] {
            running.count_down();
            go_on.get_future().wait();
            ended = true;
        }));
        running.wait();
        releaser = std::thread([&] { go_on.set_value(); });
    }
    EXPECT_TRUE(ended);
    releaser.join();
}

}  // namespace
}  // namespace sundial::http
