#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sundial {

/// Somewhere beside the caller, where one piece of work is done after the other.
class Side {
public:
    virtual ~Side() = default;
    /// Returns at once. To be called when what was given before is done. First `work` is done, then
    /// it is told; neither throws.
    virtual void run(std::function<void()> work, std::function<void()> tell) = 0;
};

/// On a thread of its own. The destructor waits for what is under way.
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
