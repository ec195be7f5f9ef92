#include "domain/retry.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;
using Delays = std::vector<std::chrono::seconds>;

/// The greatest deviation from a delay, so that events that failed together are not attempted
/// together.
constexpr double jitter = 0.1;

}  // namespace

const Delays& delays(const RetryPolicy& policy) {
    static const Delays standard{1s, 2s, 4s, 30s, 5min, 30min, 2h, 5h, 10h, 24h};
    static const Delays seed{1s, 2s, 4s};
    switch (policy.kind) {
        case RetryPolicy::Kind::standard:
            return standard;
        case RetryPolicy::Kind::seed:
            return seed;
        case RetryPolicy::Kind::custom:
            break;
    }
    return policy.custom;
}

std::optional<std::chrono::microseconds> next_delay(
    const RetryPolicy& policy, std::uint32_t retry_count, double random,
    std::optional<std::chrono::seconds> retry_after) {
    base::check(retry_count > 0 && 0.0 <= random && random < 1.0);
    const Delays& all = delays(policy);
    if (retry_count > all.size()) return std::nullopt;
    const double factor = 1.0 - jitter + 2.0 * jitter * random;
    const auto delay = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::duration<double>{all[retry_count - 1]} * factor);
    return std::max<std::chrono::microseconds>(delay, retry_after.value_or(0s));
}

}  // namespace sundial
