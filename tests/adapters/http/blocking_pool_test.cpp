#include "adapters/http/blocking_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <thread>

namespace sundial::http {
namespace {

TEST(BlockingPool, RunsWhatItTook) {
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

TEST(BlockingPool, RefusesWhatItsQueueCannotHold) {
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

TEST(BlockingPool, WaitsForRunningJobsBeforeItIsGone) {
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
