#pragma once

#include <cstdint>
#include <string>

#include "adapters/http/guard.hpp"
#include "adapters/http/rate_limits.hpp"
#include "application/access/api_key_ring.hpp"
#include "application/ports/clock.hpp"

namespace sundial::http {

struct KeyGuardSettings {
    bool loopback = true;                   // only then may be without a key what has none yet
    std::uint32_t requests_per_second = 0;  // of one key; 0: as many as it likes
};

/// Asks for `Authorization: Bearer <key>`, by the table of access rules. While no key exists,
/// whoever comes by a loopback listener may do all.
///
/// Failures of an address are bounded, yet a right key always works: a secret of 256 bits is not
/// found by trying, and one client's mistakes must not lock out all who share its address.
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
