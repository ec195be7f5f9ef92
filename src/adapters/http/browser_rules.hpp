#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/web_origin.hpp"

namespace sundial::http {

struct BrowserSettings {
    bool https = false;                        // the server itself serves TLS
    std::vector<std::string> allowed_hosts{};  // accepted in addition to loopback names
    std::vector<std::string> cors_origins{};   // "https://app.example": its pages may ask
};

/// Keeps web pages away from a server that trusts its own machine because no API key exists yet. A
/// browser on the machine sends requests for any page that it shows: to the server's address, or to
/// a name of the page that its DNS has changed to 127.0.0.1. `Host` reveals such a name; `Origin`
/// and `Sec-Fetch-Site` reveal the page. Other programs send neither of these two. Thread-safe.
class BrowserRules {
public:
    /// Throws CannotStart, naming the setting, for an invalid host or origin.
    explicit BrowserRules(const BrowserSettings& settings);

    /// HOST_NOT_ALLOWED or ORIGIN_NOT_ALLOWED; empty if the request may go on.
    [[nodiscard]] std::optional<Problem> refusal(const Request& request) const;

private:
    [[nodiscard]] bool allows(const WebOrigin& origin, const HostAndPort& host) const;

    bool https_;
    std::vector<std::string> hosts_;
    std::vector<WebOrigin> origins_;
};

/// Parses the setting `http.cors_origins`. Throws CannotStart for an invalid origin and shows a
/// valid one.
[[nodiscard]] std::vector<WebOrigin> cors_origins(const std::vector<std::string>& setting);

}  // namespace sundial::http
