#pragma once

#include <cstdint>
#include <optional>

#include "adapters/http/browser_rules.hpp"
#include "adapters/http/client_limits.hpp"
#include "adapters/http/handler.hpp"
#include "application/access/api_keys.hpp"
#include "application/ports/clock.hpp"

namespace sundial::http {

struct KeyGuardSettings {
    bool loopback = true;  // only then are requests without a key admitted while no key exists
    std::uint32_t requests_per_second = 0;  // per key; 0: unlimited
};

/// Requires `Authorization: Bearer <key>`, by the table of access rules. While no key exists, every
/// program on this machine may do everything through a loopback listener, but web pages may not
/// (BrowserRules).
///
/// Failures per address are bounded, but a valid key always works: a secret of 256 bits cannot be
/// found by trial, and the mistakes of one client must not lock out the others at its address.
class KeyGuard final : public Guard {
public:
    KeyGuard(KeyGuardSettings settings, ApiKeyRing& keys, const MonotonicClock& monotonic,
             BrowserRules browsers = BrowserRules({}));

    [[nodiscard]] bool knows(const Operation& operation) const override;
    Admission admit(Request& request, const Operation* operation) override;

private:
    /// Whether this listener needs no key at present. On open routes it does not read the database,
    /// because those routes answer without it.
    [[nodiscard]] bool needs_no_key(bool open_route);
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
