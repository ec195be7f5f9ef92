#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sundial {

/// When a delivery that was not accepted is attempted again: one delay per retry, then FAILED.
struct RetryPolicy {
    enum class Kind : std::uint8_t { standard, seed, custom };
    Kind kind = Kind::standard;
    std::vector<std::chrono::seconds>
        custom{};  // only of kind custom: 1 to 50 delays of 1 s to 24 h
    friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

/// standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h (reliability 6). seed: 1, 2,
/// 4 s.
[[nodiscard]] const std::vector<std::chrono::seconds>& delays(const RetryPolicy& policy);

/// Delay before the next attempt, given that `retry_count` (at least 1) attempts have failed. Empty
/// if no attempts remain. `random` in [0, 1) gives the ±10 % jitter; never shorter than
/// `retry_after`, the delay that the receiver requested.
[[nodiscard]] std::optional<std::chrono::microseconds> next_delay(
    const RetryPolicy& policy, std::uint32_t retry_count, double random,
    std::optional<std::chrono::seconds> retry_after);

}  // namespace sundial
