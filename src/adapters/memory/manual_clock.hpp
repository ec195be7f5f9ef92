#pragma once

#include <chrono>
#include <mutex>

#include "application/ports/clock.hpp"

namespace sundial::memory {

/// A test clock: stands still until it is set or advanced.
class ManualClock final : public Clock {
public:
    explicit ManualClock(Instant now);
    Instant now() override;
    [[nodiscard]] bool is_test() const override { return true; }
    Result<void> set(Instant now) override;
    void advance(std::chrono::microseconds by);  // not negative

private:
    std::mutex mutex_;
    Instant now_;
};

}  // namespace sundial::memory
