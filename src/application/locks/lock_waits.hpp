#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace sundial {

/// The callers in this process that wait for locks, longest first. A release here wakes the next
/// caller at once. Releases by other instances and expired leases are found by asking again every
/// `poll_interval`. Each time only one caller per name is woken. Thread-safe.
class LockWaits {
public:
    using Wake = std::function<void()>;

    explicit LockWaits(std::chrono::milliseconds poll_interval = std::chrono::milliseconds{250})
        : poll_interval_{poll_interval} {}
    LockWaits(const LockWaits&) = delete;
    LockWaits& operator=(const LockWaits&) = delete;

    /// The wait lasts until the returned object is destroyed. `wake` is called once, on any thread
    /// and perhaps before this returns: the lock may be free, or waiting has been stopped. The call
    /// can overlap with the destruction of the wait.
    [[nodiscard]] std::shared_ptr<void> wait(const std::string& name, Wake wake);
    void released(const std::string& name);

    /// Wakes one caller of each name every `poll_interval` until stop(); for waits without a thread
    /// of their own.
    void run();
    /// Wakes all callers; later waits end at once.
    void stop();
    [[nodiscard]] bool stopped() const;

private:
    using Number = std::uint64_t;
    struct Entry;
    void remove(const std::string& name, Number number);
    /// Removes and returns the longest wait; empty if there is none.
    [[nodiscard]] Wake take_first(const std::string& name);

    const std::chrono::milliseconds poll_interval_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::map<Number, Wake>> waiting_;
    Number last_number_ = 0;
    bool stopping_ = false;
};

}  // namespace sundial
