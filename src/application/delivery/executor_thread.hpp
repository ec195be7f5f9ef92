#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sundial {

/// A place beside the caller that runs one piece of work at a time.
class TaskExecutor {
public:
    virtual ~TaskExecutor() = default;
    /// Returns at once. Call it only after the previous work has ended. Runs `work`, then `notify`;
    /// neither throws.
    virtual void run(std::function<void()> work, std::function<void()> notify) = 0;
};

/// Runs work on a thread of its own. The destructor waits for work under way.
class ExecutorThread final : public TaskExecutor {
public:
    ExecutorThread();
    ~ExecutorThread() override;
    ExecutorThread(const ExecutorThread&) = delete;
    ExecutorThread& operator=(const ExecutorThread&) = delete;

    void run(std::function<void()> work, std::function<void()> notify) override;

private:
    void work_until_stopped();

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::function<void()> work_, notify_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sundial
