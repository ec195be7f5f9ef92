#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/http/message.hpp"

namespace sundial::http {

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
