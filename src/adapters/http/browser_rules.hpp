#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"

/// The host that a request is for (`Host`), and the page that sent it (`Origin`).

namespace sundial::http {

/// `name`, `192.0.2.1` or `[2001:db8::1]`, with or without a port.
struct HostAndPort {
    std::string host;  // lower case; an IPv6 address in its brackets
    std::optional<std::uint16_t> port{};
    friend bool operator==(const HostAndPort&, const HostAndPort&) = default;
};
/// Empty if `text` is neither a name (letters, digits, `-`, `_`, `.`) nor an address.
[[nodiscard]] std::optional<HostAndPort> parse_host(std::string_view text);

/// Scheme, host and port of a page (RFC 6454).
struct WebOrigin {
    bool https = false;
    std::string host;
    std::uint16_t port = 0;
    friend bool operator==(const WebOrigin&, const WebOrigin&) = default;
};
/// Empty if `text` is not an origin of http or https, for example `null`, or a URL with a path.
[[nodiscard]] std::optional<WebOrigin> parse_origin(std::string_view text);
/// As browsers write it: without the default port of the scheme.
[[nodiscard]] std::string to_string(const WebOrigin& origin);
/// The origin of pages that a server serves under that name.
[[nodiscard]] WebOrigin origin_of(bool https, const HostAndPort& host);

/// `localhost`, 127.0.0.0/8 or [::1]: no DNS server can make these lead elsewhere.
[[nodiscard]] bool is_loopback_host(std::string_view host);

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

/// Cross-origin resource sharing (Fetch standard): pages of the origins that the operator lists may
/// read the answers of the API. They need a key like any client; cookies are ignored. Thread-safe.
class Cors {
public:
    /// Throws CannotStart for an invalid origin.
    explicit Cors(const std::vector<std::string>& origins);

    /// The result of `answer` with the CORS headers for the page, or the answer to its preflight.
    [[nodiscard]] Response answer(Request request,
                                  const std::function<Response(Request)>& answer) const;

private:
    [[nodiscard]] bool allows(const Request& request) const;

    std::vector<WebOrigin> origins_;
};

}  // namespace sundial::http
