#pragma once

#include <cstdint>
#include <optional>

#include "adapters/http/browser_rules.hpp"
#include "adapters/http/guard.hpp"
#include "adapters/http/rate_limits.hpp"
#include "application/access/api_key_ring.hpp"
#include "application/ports/clock.hpp"

namespace sundial::http {

struct KeyGuardSettings {
    bool loopback = true;                   // only then may be without a key what has none yet
    std::uint32_t requests_per_second = 0;  // of one key; 0: as many as it likes
};

/// Requires `Authorization: Bearer <key>`, by the table of access rules. While no key exists, every
/// program on this machine may do everything through a loopback listener, but web pages may not
/// (BrowserRules).
///
/// Failures of an address are bounded, yet a right key always works: a secret of 256 bits is not
/// found by trying, and one client's mistakes must not lock out all who share its address.
class KeyGuard final : public Guard {
public:
    KeyGuard(KeyGuardSettings settings, ApiKeyRing& keys, const MonotonicClock& monotonic,
             BrowserRules browsers = BrowserRules({}));

    [[nodiscard]] bool knows(const Operation& operation) const override;
    Admission admit(Request& request, const Operation* operation) override;

private:
    /// Whether this listener needs no key at present. On open routes it does not read the database,
    /// because those routes answer without it.
    [[nodiscard]] bool asks_for_no_key(bool open_route);
    [[nodiscard]] std::optional<KeyHolder> who(const Request& request);
    [[nodiscard]] Response unauthenticated(const Request& request);
    [[nodiscard]] Admission within_rate(const Request& request, const KeyHolder& holder);

    const KeyGuardSettings settings_;
    const BrowserRules browsers_;
    ApiKeyRing& keys_;
    const MonotonicClock& monotonic_;
    FailureLimit failures_;
    TokenBuckets requests_;
};

}  // namespace sundial::http
