#pragma once

#include <chrono>
#include <mutex>
#include <optional>

namespace sundial::postgres {

/// How long transactions have been failing. Ends with the first successful write (a read may
/// succeed on a full disk), or after 15 s without a failure. Thread-safe.
class Outage {
public:
    void failed() {
        const std::lock_guard lock{mutex_};
        const Moment now = Clock::now();
        if (!since_ || now - latest_ > forgotten_after) since_ = now;
        latest_ = now;
    }
    void succeeded() {
        const std::lock_guard lock{mutex_};
        since_.reset();
    }
    /// From the first failure to the latest.
    [[nodiscard]] std::optional<std::chrono::milliseconds> so_far() const {
        const std::lock_guard lock{mutex_};
        if (!since_ || Clock::now() - latest_ > forgotten_after) return std::nullopt;
        return std::chrono::duration_cast<std::chrono::milliseconds>(latest_ - *since_);
    }

private:
    using Clock = std::chrono::steady_clock;
    using Moment = Clock::time_point;
    static constexpr std::chrono::seconds forgotten_after{15};

    mutable std::mutex mutex_;
    std::optional<Moment> since_;
    Moment latest_{};
};

}  // namespace sundial::postgres
