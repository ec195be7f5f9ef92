#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace sundial::http
