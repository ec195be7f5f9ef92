#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>

#include "application/ports/clock.hpp"
#include "domain/error.hpp"
#include "sundial/retry.hpp"

namespace sundial {

/// Errors that `retry` repeats a call for: version conflicts, of a row or a stream. Others:
/// Stopped, ValidationFailed.
template <>
struct RetryErrors<Error> {
    static bool passing(const Error& error);
    /// A stream's conflict includes the number of attempts.
    static Error after(Error error, unsigned attempts);
    static Error stopped() { return Stopped{}; }
    static Error invalid(std::string why);
};

/// For `retry_thrown`, if the call may run twice: storage is temporarily unavailable.
[[nodiscard]] bool is_unavailable(const std::exception& thrown);

/// Delays that double from 100 ms to 5 s while a call keeps failing. Each is reduced randomly by up
/// to half, so that instances that failed together do not retry together.
class Backoff {
public:
    /// `random` in [0, 1).
    void fail(double random, Mono now) {
        constexpr Mono first = std::chrono::milliseconds{100};
        constexpr Mono longest = std::chrono::seconds{5};
        const Mono wait = std::min(longest, first * (1 << std::min(failures_, 6)));
        ++failures_;
        until_ = now + std::chrono::duration_cast<Mono>(wait * (1.0 - random / 2));
    }
    void succeed() { *this = {}; }
    [[nodiscard]] bool over(Mono now) const { return now >= until_; }
    [[nodiscard]] bool failing() const { return failures_ > 0; }
    [[nodiscard]] Mono until() const { return until_; }

private:
    Mono until_{};
    int failures_ = 0;
};

}  // namespace sundial
