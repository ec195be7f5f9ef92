#pragma once

#include <chrono>
#include <cstddef>

#include "application/ports/retention.hpp"

namespace sundial {

/// Retention periods of finished data.
struct RetentionTerms {
    /// Also for cancelled events and skips.
    std::chrono::microseconds completed = std::chrono::days{90};
    std::chrono::microseconds failed = std::chrono::days{365};
    std::chrono::microseconds attempts = std::chrono::days{30};
    std::chrono::microseconds keys = std::chrono::days{400};  // the minimum allowed
};

/// Retention: deletes one batch of each kind per call.
class ForgetOld {
public:
    /// Rows of one kind deleted at once: half a second's work on a slow disk.
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
