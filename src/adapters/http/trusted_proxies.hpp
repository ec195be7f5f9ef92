#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/http/message.hpp"

namespace sundial::http {

/// The proxies whose word is taken for where a request came from. Thread-safe.
class TrustedProxies {
public:
    /// Networks (`10.0.0.0/8`, `fd00::/8`) and addresses. Throws CannotStart, naming what is
    /// neither.
    explicit TrustedProxies(const std::vector<std::string>& networks = {});
    ~TrustedProxies();
    TrustedProxies(TrustedProxies&&) noexcept;
    TrustedProxies& operator=(TrustedProxies&&) noexcept;

    [[nodiscard]] bool trusts(const std::string& address) const;
    /// Where a request that `peer` sent comes from: the last address of X-Forwarded-For that no
    /// proxy of ours has. What an untrusted peer says of itself counts for nothing.
    [[nodiscard]] std::string client_of(const std::string& peer, const Headers& headers) const;

private:
    struct Networks;
    std::unique_ptr<const Networks> networks_;
};

}  // namespace sundial::http
