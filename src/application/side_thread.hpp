#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sundial {

/// One thread beside another's: does what it is given, one piece after the other. The destructor
/// waits for what is under way.
class SideThread {
public:
    SideThread();
    ~SideThread();
    SideThread(const SideThread&) = delete;
    SideThread& operator=(const SideThread&) = delete;

    /// Returns at once. To be called when what was given before is done. `work` does not throw.
    void run(std::function<void()> work);

private:
    void work_until_stopped();

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::function<void()> work_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace sundial
