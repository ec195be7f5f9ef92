#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "application/ports/event_queue.hpp"

namespace sundial {

/// Wakes the thread that completes the intake. Thread-safe.
class IntakeSignal final : public Wakeups {
public:
    /// Takes only hints that name no instant: they come from outside this process. All others are
    /// about events whose instants are known.
    void due_at(Instant when) override {
        if (when != Instant{}) return;
        const std::lock_guard lock(mutex_);
        woken_ = true;
        changed_.notify_all();
    }
    /// Until the next hint, but at most this long. False once stop() was called.
    [[nodiscard]] bool wait(std::chrono::microseconds at_most) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, at_most, [this] { return woken_ || stopping_; });
        woken_ = false;
        return !stopping_;
    }
    void stop() {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool woken_ = false;
    bool stopping_ = false;
};

}  // namespace sundial
