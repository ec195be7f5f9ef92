#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sundial {

/// When a delivery that was not accepted is tried again: one delay per retry, then FAILED.
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

/// The wait after the try that made `retry_count` failed ones, the latest included; empty when none
/// is left. `retry_count` is at least 1. `random` in [0, 1) gives the ±10 % jitter; never before
/// `retry_after`, the receiver's own wish.
[[nodiscard]] std::optional<std::chrono::microseconds> next_delay(
    const RetryPolicy& policy, std::uint32_t retry_count, double random,
    std::optional<std::chrono::seconds> retry_after);

}  // namespace sundial
