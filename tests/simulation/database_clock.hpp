#pragma once

#include <chrono>

#include "application/ports/clock.hpp"

namespace sundial::simulation {

/// The database's clock: true time plus all steps forward. Never goes back.
class DatabaseClock final : public Clock {
public:
    DatabaseClock(Instant begin, const std::chrono::microseconds& true_time)
        : begin_(begin), true_time_(true_time) {}
    Instant now() override { return begin_ + true_time_ + ahead_; }
    [[nodiscard]] bool is_test() const override { return false; }
    Result<void, ClockNotTest, ValidationFailed> set(Instant /*now*/) override {
        return ClockNotTest{};
    }

    void put_ahead(std::chrono::microseconds by) { ahead_ += by; }
    /// The true time at which it shows `instant`, if it is not stepped before.
    [[nodiscard]] std::chrono::microseconds true_time_of(Instant instant) const {
        return instant - begin_ - ahead_;
    }

private:
    Instant begin_;
    const std::chrono::microseconds& true_time_;
    std::chrono::microseconds ahead_{0};
};

}  // namespace sundial::simulation
