#pragma once

#include <chrono>
#include <stop_token>

namespace sundial {

/// Time that only grows, waits, and chance, as retries and caches need them. Thread-safe. Give one
/// of your own to tests, and they neither wait nor depend on luck.
class Timing {
public:
    using Moment = std::chrono::steady_clock::time_point;

    virtual ~Timing() = default;
    [[nodiscard]] virtual Moment now() = 0;
    /// Comes back at `when`, or within 10 ms of a stop request.
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
