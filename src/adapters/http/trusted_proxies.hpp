#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/http/message.hpp"

namespace sundial::http {

/// The name under which limits count a client: its IPv4 address, or the /64 of its IPv6 address,
/// because one client usually has a whole /64. `::ffff:192.0.2.1` counts as 192.0.2.1. Returns a
/// text that is not an address unchanged.
[[nodiscard]] std::string network_of(const std::string& address);

/// The proxies whose X-Forwarded-For is trusted. Thread-safe.
class TrustedProxies {
public:
    /// Networks (`10.0.0.0/8`, `fd00::/8`) and addresses. Throws CannotStart, naming an entry that
    /// is neither.
    explicit TrustedProxies(const std::vector<std::string>& networks = {});
    ~TrustedProxies();
    TrustedProxies(TrustedProxies&&) noexcept;
    TrustedProxies& operator=(TrustedProxies&&) noexcept;

    [[nodiscard]] bool trusts(const std::string& address) const;
    /// The client address of a request from `peer`: the last address of X-Forwarded-For that is not
    /// a trusted proxy. The field is ignored if the peer is not trusted.
    [[nodiscard]] std::string client_of(const std::string& peer, const Headers& headers) const;

private:
    struct Networks;
    std::unique_ptr<const Networks> networks_;
};

}  // namespace sundial::http
