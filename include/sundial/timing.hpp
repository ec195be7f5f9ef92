#pragma once

#include <chrono>
#include <stop_token>

#pragma GCC visibility push(default)

namespace sundial {

/// A steady clock, sleep and randomness for retries and caches. Thread-safe. Tests pass their own,
/// and neither sleep nor depend on chance.
class Timing {
public:
    /// Of the steady clock, not of the calendar.
    using Moment = std::chrono::steady_clock::time_point;

    virtual ~Timing() = default;
    /// The moment of the call.
    [[nodiscard]] virtual Moment now() = 0;
    /// Returns at `when`, or within 10 ms of a stop request.
    virtual void sleep_until(Moment when, const std::stop_token& stop) = 0;
    /// Uniform in [0, 1).
    [[nodiscard]] virtual double unit() = 0;
};

/// The machine's steady clock and random source.
[[nodiscard]] Timing& real_timing();

namespace detail {

/// `time` later than `at`, or the last moment that the clock can count.
[[nodiscard]] Timing::Moment later(Timing::Moment at, std::chrono::microseconds time);

}  // namespace detail

}  // namespace sundial

#pragma GCC visibility pop
