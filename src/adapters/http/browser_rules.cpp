#include "adapters/http/browser_rules.hpp"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <charconv>
#include <utility>

#include "application/ports/failures.hpp"
#include "base/text.hpp"

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

namespace {

Problem host_not_allowed(const std::optional<HostAndPort>& host) {
    const std::string named = host ? "'" + host->host + "'" : "The Host field";
    return {.code = Code::host_not_allowed,
            .detail = named +
                      " is not allowed: while no API key exists, the server accepts only "
                      "127.0.0.1, [::1], localhost and the names in http.allowed_hosts. Create an "
                      "ADMIN key, or add the name to http.allowed_hosts"};
}

Problem origin_not_allowed(const std::string& page) {
    return {.code = Code::origin_not_allowed,
            .detail = "A web page of another origin sent this request (" + page +
                      "), and the server refuses these while no API key exists. Create an ADMIN "
                      "key, or add the origin to http.cors_origins"};
}

/// Whether the user opens the page itself. A request for a frame, an image or a script of another
/// page is none.
bool is_navigation(const Request& request) {
    const auto absent_or = [&](std::string_view field, std::string_view value) {
        return request.headers.find(field).value_or(value) == value;
    };
    return request.method == "GET" && !request.headers.find("Origin") &&
           absent_or("Sec-Fetch-Mode", "navigate") && absent_or("Sec-Fetch-Dest", "document");
}

/// Links on other sites may lead to these pages: opening them changes nothing.
bool is_page(std::string_view path) {
    return path == "/" || path == "/ui" || path.starts_with("/ui/") || path == "/docs" ||
           path.starts_with("/docs/") || path == "/llms.txt" || path == "/llms-full.txt";
}

}  // namespace

BrowserRules::BrowserRules(const BrowserSettings& settings)
    : https_(settings.https), origins_(http::cors_origins(settings.cors_origins)) {
    for (const std::string& text : settings.allowed_hosts) {
        const auto host = parse_host(text);
        if (!host || host->port) {
            throw CannotStart("http.allowed_hosts: '" + text +
                              "' is not a host name; write it without scheme and port, such as "
                              "sundial.example");
        }
        hosts_.push_back(host->host);
    }
}

std::optional<Problem> BrowserRules::refusal(const Request& request) const {
    const auto host = parse_host(request.headers.find("Host").value_or(""));
    if (!host ||
        (!is_loopback_host(host->host) && std::ranges::find(hosts_, host->host) == hosts_.end())) {
        return host_not_allowed(host);
    }
    bool origin_named = false;
    for (const Parameter& field : request.headers.all()) {
        if (!same_ignoring_case(field.name, "Origin")) continue;
        const auto origin = parse_origin(field.value);
        if (!origin) return origin_not_allowed("an opaque origin");
        if (!allows(*origin, *host)) return origin_not_allowed(to_string(*origin));
        origin_named = true;
    }
    const auto site = request.headers.find("Sec-Fetch-Site").value_or("");
    const bool foreign = site == "cross-site" || site == "same-site";
    if (!foreign || origin_named) return std::nullopt;
    if (is_page(request.path) && is_navigation(request)) return std::nullopt;
    return origin_not_allowed("Sec-Fetch-Site: " + std::string(site));
}

/// A proxy in front of an allowed name may serve TLS although this server does not.
bool BrowserRules::allows(const WebOrigin& origin, const HostAndPort& host) const {
    if (origin == origin_of(https_, host)) return true;
    const bool by_name = std::ranges::find(hosts_, host.host) != hosts_.end();
    if (by_name && origin == origin_of(!https_, host)) return true;
    return std::ranges::find(origins_, origin) != origins_.end();
}

std::vector<WebOrigin> cors_origins(const std::vector<std::string>& setting) {
    std::vector<WebOrigin> origins;
    for (const std::string& text : setting) {
        const auto origin = parse_origin(text);
        if (!origin) {
            throw CannotStart("http.cors_origins: '" + text +
                              "' is not an origin; write scheme, host and port, such as "
                              "https://app.example or http://localhost:3000");
        }
        origins.push_back(*origin);
    }
    return origins;
}

namespace {

constexpr auto cors_methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
/// The header fields that operations of openapi.json read and that browsers do not allow by
/// default.
constexpr auto request_fields =
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
    "Prefer, Sundial-Lock-Token, X-Request-Id, traceparent, tracestate";
/// The header fields of answers that browsers hide from pages by default.
constexpr auto response_fields =
    "Allow, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, "
    "WWW-Authenticate, X-Request-Id";
constexpr auto preflight_seconds = "600";

bool is_preflight(const Request& request) {
    return request.method == "OPTIONS" && request.headers.find("Access-Control-Request-Method");
}

}  // namespace

Cors::Cors(const std::vector<std::string>& origins) : origins_(cors_origins(origins)) {}

bool Cors::allows(const Request& request) const {
    const auto origin = parse_origin(request.headers.find("Origin").value_or(""));
    return origin && std::ranges::find(origins_, *origin) != origins_.end();
}

Response Cors::answer(Request request, const std::function<Response(Request)>& answer) const {
    if (origins_.empty()) return answer(std::move(request));
    const bool allowed = allows(request);
    const std::string origin{request.headers.find("Origin").value_or("")};
    const bool preflight = allowed && is_preflight(request);
    Response response = preflight ? no_content() : answer(std::move(request));
    response.headers.add("Vary", "Origin");
    if (!allowed) return response;
    response.headers.set("Access-Control-Allow-Origin", origin);
    if (preflight) {
        response.headers.set("Access-Control-Allow-Methods", cors_methods);
        response.headers.set("Access-Control-Allow-Headers", request_fields);
        response.headers.set("Access-Control-Max-Age", preflight_seconds);
    } else {
        response.headers.set("Access-Control-Expose-Headers", response_fields);
    }
    return response;
}

}  // namespace sundial::http
