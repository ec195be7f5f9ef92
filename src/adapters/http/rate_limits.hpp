#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

/// Rate limits in RAM: each instance counts for itself. Times come from a monotonic clock.
namespace sundial::http {

using Mono = std::chrono::microseconds;

/// A token bucket per name. It holds the tokens of one second, and a burst may use them all at
/// once. Thread-safe.
class TokenBuckets {
public:
    explicit TokenBuckets(std::uint32_t per_second) : per_second_(per_second) {}

    struct Take {
        bool taken;
        std::uint32_t left;  // whole tokens that remain
    };
    [[nodiscard]] Take take(const std::string& name, Mono now);

private:
    struct Bucket {
        double tokens;
        Mono filled_at;
    };

    const std::uint32_t per_second_;
    std::mutex mutex_;
    std::unordered_map<std::string, Bucket> buckets_;
};

/// At most `max_failures` failures per name in any minute. Thread-safe.
class FailureLimit {
public:
    explicit FailureLimit(std::size_t max_failures) : max_failures_(max_failures) {}

    /// Counts a failure. Returns zero if it is within the limit, else the wait until the next is
    /// allowed.
    [[nodiscard]] std::chrono::seconds count(const std::string& name, Mono now);

private:
    const std::size_t max_failures_;
    std::mutex mutex_;
    std::unordered_map<std::string, std::deque<Mono>> failures_;  // in the last minute
};

}  // namespace sundial::http
