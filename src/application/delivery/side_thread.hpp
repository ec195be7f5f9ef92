#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sundial {

/// A place beside the caller that runs one piece of work at a time.
class Side {
public:
    virtual ~Side() = default;
    /// Returns at once. Call it only after the previous work has ended. Runs `work`, then `tell`;
    /// neither throws.
    virtual void run(std::function<void()> work, std::function<void()> tell) = 0;
};

/// Runs work on a thread of its own. The destructor waits for work under way.
class SideThread final : public Side {
public:
    SideThread();
    ~SideThread() override;
    SideThread(const SideThread&) = delete;
    SideThread& operator=(const SideThread&) = delete;

    void run(std::function<void()> work, std::function<void()> tell) override;

private:
    void work_until_stopped();

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::function<void()> work_, tell_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sundial
