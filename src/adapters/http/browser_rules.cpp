#include "adapters/http/browser_rules.hpp"

#include <algorithm>
#include <string_view>

#include "application/ports/failures.hpp"

namespace sundial::http {
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
           path.starts_with("/docs/");
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

}  // namespace sundial::http
