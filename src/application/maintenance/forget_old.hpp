#pragma once

#include <chrono>
#include <cstddef>

#include "application/ports/retention.hpp"

namespace sundial {

/// How long what is over is kept.
struct RetentionTerms {
    std::chrono::microseconds completed = std::chrono::days{90};  // cancelled ones and skips too
    std::chrono::microseconds failed = std::chrono::days{365};
    std::chrono::microseconds attempts = std::chrono::days{30};
    std::chrono::microseconds keys = std::chrono::days{400};  // never less
};

/// Retention, a batch of each kind at a time.
class ForgetOld {
public:
    /// Deletes so many rows of a kind at once: half a second's work on a slow disk.
    static constexpr std::size_t rows_of_a_batch = 1000;

    ForgetOld(Retention& retention, const RetentionTerms& terms)
        : retention_{retention}, terms_{terms} {}
    /// True if there may be more. Throws Unavailable.
    bool batch();

private:
    Retention& retention_;
    const RetentionTerms terms_;
};

}  // namespace sundial
