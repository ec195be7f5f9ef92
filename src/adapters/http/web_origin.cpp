#include "adapters/http/web_origin.hpp"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <charconv>
#include <utility>

#include "base/ascii.hpp"

namespace sundial::http {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t longest_name = 253;  // RFC 1035, in text

std::uint16_t usual_port(bool https) { return https ? 443 : 80; }

bool is_name(std::string_view host) {
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    return !host.empty() && host.size() <= longest_name &&
           host.find_first_not_of(allowed) == std::string_view::npos;
}

std::optional<ip::address_v6> address_in_brackets(std::string_view host) {
    if (!host.starts_with('[') || !host.ends_with(']')) return std::nullopt;
    boost::system::error_code failure;
    const auto address = ip::make_address_v6(std::string(host.substr(1, host.size() - 2)), failure);
    if (failure || address.scope_id() != 0) return std::nullopt;
    return address;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), port);
    if (error != std::errc{} || end != text.end() || port == 0) return std::nullopt;
    return port;
}

}  // namespace

std::optional<HostAndPort> parse_host(std::string_view text) {
    const auto bracket = text.rfind(']');
    const auto colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
    HostAndPort parsed{.host = base::lowered(text.substr(0, colon))};
    if (!is_name(parsed.host) && !address_in_brackets(parsed.host)) return std::nullopt;
    if (colon == std::string_view::npos) return parsed;
    parsed.port = parse_port(text.substr(colon + 1));
    return parsed.port ? std::optional(std::move(parsed)) : std::nullopt;
}

std::optional<WebOrigin> parse_origin(std::string_view text) {
    constexpr std::string_view separator = "://";
    const auto end_of_scheme = text.find(separator);
    if (end_of_scheme == std::string_view::npos) return std::nullopt;
    const std::string scheme = base::lowered(text.substr(0, end_of_scheme));
    if (scheme != "http" && scheme != "https") return std::nullopt;
    const auto host = parse_host(text.substr(end_of_scheme + separator.size()));
    if (!host) return std::nullopt;
    return origin_of(scheme == "https", *host);
}

std::string to_string(const WebOrigin& origin) {
    std::string text = (origin.https ? "https://" : "http://") + origin.host;
    if (origin.port != usual_port(origin.https)) text += ':' + std::to_string(origin.port);
    return text;
}

WebOrigin origin_of(bool https, const HostAndPort& host) {
    return {https, host.host, host.port.value_or(usual_port(https))};
}

bool is_loopback_host(std::string_view host) {
    if (host == "localhost") return true;
    if (const auto address = address_in_brackets(host)) return address->is_loopback();
    boost::system::error_code failure;
    const auto address = ip::make_address_v4(std::string(host), failure);
    return !failure && address.is_loopback();
}

}  // namespace sundial::http
