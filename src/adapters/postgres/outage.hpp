#pragma once

#include <chrono>
#include <mutex>
#include <optional>

namespace sundial::postgres {

/// Since when transactions fail. Ends with the first that has written something (a full disk can
/// still be read), or when nobody has met it for a while. Thread-safe.
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
    /// How long it has lasted when it was met last.
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
