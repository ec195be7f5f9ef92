#pragma once

#include <chrono>

#include "domain/error.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The database's clock, which alone decides what is due and how long a lease lasts (ADR 0005).
/// Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Instant now() = 0;
    [[nodiscard]] virtual bool is_test() const = 0;
    /// Moves a test clock, which stands still between calls. Errors: ClockNotTest; ValidationFailed
    /// when it would go back.
    virtual Result<void> set(Instant now) = 0;
};

/// Time that only grows, suspension included, from an origin that means nothing: for waits and
/// local deadlines.
class MonotonicClock {
public:
    virtual ~MonotonicClock() = default;
    [[nodiscard]] virtual std::chrono::microseconds now() const = 0;
};

}  // namespace sundial
