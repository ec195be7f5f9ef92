#pragma once

#include <cstdint>
#include <string>

#include "adapters/http/guard.hpp"
#include "adapters/http/rate_limits.hpp"
#include "application/access/api_key_ring.hpp"
#include "application/ports/clock.hpp"

namespace sundial::http {

struct KeyGuardSettings {
    bool loopback = true;  // only then are requests without a key admitted while no key exists
    std::uint32_t requests_per_second = 0;  // per key; 0: unlimited
};

/// Requires `Authorization: Bearer <key>`, by the table of access rules. While no key exists, every
/// caller of a loopback listener may use every operation.
///
/// Failures per address are bounded, but a valid key always works: a secret of 256 bits cannot be
/// found by trial, and the mistakes of one client must not lock out the others at its address.
class KeyGuard final : public Guard {
public:
    KeyGuard(KeyGuardSettings settings, ApiKeyRing& keys, const MonotonicClock& monotonic);

    [[nodiscard]] bool knows(const Operation& operation) const override;
    Admission admit(Request& request, const Operation* operation) override;

private:
    [[nodiscard]] std::optional<KeyHolder> who(const Request& request);
    [[nodiscard]] Response unauthenticated(const Request& request);
    [[nodiscard]] Admission within_rate(const Request& request, const KeyHolder& holder);

    const KeyGuardSettings settings_;
    ApiKeyRing& keys_;
    const MonotonicClock& monotonic_;
    FailureLimit failures_;
    TokenBuckets requests_;
};

}  // namespace sundial::http
