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

/// Who waits in this process for which lock, the longest first. A release here wakes the next at
/// once; what other instances release, and what ends by itself, is found by asking again every
/// `look`. Each time one of those who wait for a name is woken, not all. Thread-safe.
class LockWaits {
public:
    using Wake = std::function<void()>;

    explicit LockWaits(std::chrono::milliseconds look = std::chrono::milliseconds{250})
        : look_{look} {}
    LockWaits(const LockWaits&) = delete;
    LockWaits& operator=(const LockWaits&) = delete;

    /// Waits until what it returns is let go of. `wake` is called once, on any thread and perhaps
    /// before this returns: the lock may be free, or all waiting is at its end. It may come just as
    /// the wait is let go.
    [[nodiscard]] std::shared_ptr<void> wait(const std::string& name, Wake wake);
    void released(const std::string& name);

    /// Wakes one of each name every look until stop(); for waits that have no thread of their own.
    void run();
    /// Wakes everybody, and from now on whoever comes to wait at once.
    void stop();
    [[nodiscard]] bool stopped() const;

private:
    using Number = std::uint64_t;
    struct Entry;
    void remove(const std::string& name, Number number);
    /// The one that waits longest, who waits no more then; empty if nobody does.
    [[nodiscard]] Wake take_first(const std::string& name);

    const std::chrono::milliseconds look_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, std::map<Number, Wake>> waiting_;
    Number last_number_ = 0;
    bool stopping_ = false;
};

}  // namespace sundial
