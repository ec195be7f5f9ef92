#pragma once

#include <chrono>

#include "domain/error.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// A moment of the monotonic clock.
using Mono = std::chrono::microseconds;

/// The database's clock. It alone decides which events are due and when a lease expires (ADR 0005).
/// Thread-safe.
class Clock {
public:
    virtual ~Clock() = default;
    virtual Instant now() = 0;
    [[nodiscard]] virtual bool is_test() const = 0;
    /// Moves a test clock, which stands still between calls. Errors: ClockNotTest; ValidationFailed
    /// if the clock would go back.
    virtual Result<void, ClockNotTest, ValidationFailed> set(Instant now) = 0;
};

/// Time that only grows and includes suspension of the machine. Its origin has no meaning: use it
/// for waits and local deadlines.
class MonotonicClock {
public:
    virtual ~MonotonicClock() = default;
    [[nodiscard]] virtual std::chrono::microseconds now() const = 0;
};

}  // namespace sundial
