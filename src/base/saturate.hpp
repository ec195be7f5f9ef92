#pragma once

#include <chrono>

namespace sundial::base {

/// `time` later than `at`, or the last moment that can be counted: a wait of
/// `microseconds::max()` means as long as it takes.
[[nodiscard]] constexpr std::chrono::microseconds later(std::chrono::microseconds at,
                                                        std::chrono::microseconds time) {
    std::chrono::microseconds::rep sum = 0;
    if (!__builtin_add_overflow(at.count(), time.count(), &sum))
        return std::chrono::microseconds{sum};
    return time.count() > 0 ? std::chrono::microseconds::max() : std::chrono::microseconds::min();
}

}  // namespace sundial::base
