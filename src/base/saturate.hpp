#pragma once

#include <chrono>

namespace sundial::base {

/// `at` plus `time`, or the last moment that the clock can count: `microseconds::max()` means to
/// wait without a limit.
[[nodiscard]] constexpr std::chrono::microseconds later(std::chrono::microseconds at,
                                                        std::chrono::microseconds time) {
    std::chrono::microseconds::rep sum = 0;
    if (!__builtin_add_overflow(at.count(), time.count(), &sum))
        return std::chrono::microseconds{sum};
    return time.count() > 0 ? std::chrono::microseconds::max() : std::chrono::microseconds::min();
}

}  // namespace sundial::base
