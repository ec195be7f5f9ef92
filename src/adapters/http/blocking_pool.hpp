#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sundial::http {

/// A fixed number of threads on which handlers may block, and a bounded queue in front of them.
class BlockingPool {
public:
    BlockingPool(std::size_t threads, std::size_t max_waiting);
    /// Waits for running jobs; drops queued ones.
    ~BlockingPool();
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;

    /// False if the queue is full; `job` then does not run. Jobs must not throw.
    [[nodiscard]] bool try_run(std::function<void()> job);
    /// Waits until no job is queued or running; false if `at_most` passes first.
    [[nodiscard]] bool wait_for_none(std::chrono::milliseconds at_most);

private:
    void work();

    const std::size_t max_waiting_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::condition_variable none_;  // no job is queued or running
    std::deque<std::function<void()>> waiting_;
    std::size_t idle_ = 0;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace sundial::http
