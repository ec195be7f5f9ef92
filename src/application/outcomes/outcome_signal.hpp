#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

namespace sundial {

/// Wakes followers of outcomes when this process has finished an event. Thread-safe.
class OutcomeSignal {
public:
    void finished() {
        const std::lock_guard lock(mutex_);
        ++count_;
        changed_.notify_all();
    }
    /// The number of hints so far. Read before the queue.
    [[nodiscard]] std::uint64_t count() const {
        const std::lock_guard lock(mutex_);
        return count_;
    }
    /// Until there is a hint after `seen`, or a stop is requested; at most this long.
    void wait(std::uint64_t seen, std::chrono::microseconds at_most, const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, stop, at_most, [&] { return count_ != seen; });
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::uint64_t count_ = 0;
};

}  // namespace sundial
