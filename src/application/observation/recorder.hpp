#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "base/log.hpp"

namespace sundial {

/// Calls jobs that write what this instance did, about once a second, on a thread of its own. A job
/// that throws is called again a second later. Thread-safe.
class Recorder {
public:
    Recorder(std::vector<std::function<void()>> jobs, base::Log& log)
        : jobs_(std::move(jobs)), log_(log) {}

    /// Until stop(). Never throws.
    void run();
    /// Calls the jobs soon, for example because another thread has given one something to do.
    void wake();
    void stop();

private:
    /// False once stop() was called.
    [[nodiscard]] bool wait();
    void call_all(bool report);

    const std::vector<std::function<void()>> jobs_;
    base::Log& log_;
    bool failing_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool woken_ = false;
    bool stopping_ = false;
};

}  // namespace sundial
