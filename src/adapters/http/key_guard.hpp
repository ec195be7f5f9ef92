#pragma once

#include <cstdint>
#include <optional>

#include "adapters/http/browser_rules.hpp"
#include "adapters/http/client_limits.hpp"
#include "adapters/http/handler.hpp"
#include "application/access/api_keys.hpp"
#include "application/access/sessions.hpp"
#include "application/ports/clock.hpp"

namespace sundial::http {

struct KeyGuardSettings {
    bool loopback = true;  // only then are requests without a key admitted while no key exists
    std::uint32_t requests_per_second = 0;  // per key; 0: unlimited
};

/// Requires `Authorization: Bearer <key>`, or the cookie of a browser that has logged in, by the
/// table of access rules. With a cookie, each change also needs the session's token in the header
/// Sundial-CSRF. While no key exists, every program on this machine may do everything through a
/// loopback listener, but web pages may not (BrowserRules).
///
/// Failures per address are bounded, but a valid key always works: a secret of 256 bits cannot be
/// found by trial, and the mistakes of one client must not lock out the others at its address.
class KeyGuard final : public Guard {
public:
    KeyGuard(KeyGuardSettings settings, ApiKeyRing& keys, const MonotonicClock& monotonic,
             BrowserRules browsers = BrowserRules({}), Sessions* sessions = nullptr);

    [[nodiscard]] bool knows(const Operation& operation) const override;
    Admission admit(Request& request, const Operation* operation) override;
    [[nodiscard]] bool still_admits(const Request& request) override;

private:
    /// Whether this listener needs no key at present. On open routes it does not read the database,
    /// because those routes answer without it.
    [[nodiscard]] bool needs_no_key(bool open_route);
    struct KnownCaller {
        KeyHolder holder;
        bool without_csrf_token = false;
    };
    [[nodiscard]] std::optional<KnownCaller> who(const Request& request);
    [[nodiscard]] Response unauthenticated(const Request& request);
    [[nodiscard]] Admission within_rate(const Request& request, const KeyHolder& holder);

    const KeyGuardSettings settings_;
    const BrowserRules browsers_;
    ApiKeyRing& keys_;
    Sessions* const sessions_;  // null: cookies are ignored
    const MonotonicClock& monotonic_;
    FailureLimit failures_;
    TokenBuckets requests_;
};

}  // namespace sundial::http
