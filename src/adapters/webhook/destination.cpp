#include "adapters/webhook/destination.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace sundial::webhook {
namespace {

constexpr std::size_t longest_url = 2048;

std::optional<FieldError> wrong(std::string code, std::string message) {
    return FieldError{"/url", std::move(code), std::move(message)};
}

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return "";
    const std::unique_ptr<char, decltype(&curl_free)> owned(text, &curl_free);
    return text;
}

bool plain_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return c > ' ' && c < 127 && c != '\\' && c != '"' && c != '<' && c != '>';
    });
}

std::string lower(std::string text) {
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

/// What stands between `://` and the path, in lower case.
std::string authority_of(std::string_view url) {
    url.remove_prefix(url.find("://") + 3);
    return lower(std::string(url.substr(0, url.find_first_of("/?#"))));
}

bool is_dns_name(std::string_view host) {
    if (host.size() > 253) return false;
    bool numeric = false;
    while (true) {
        const auto dot = host.find('.');
        const std::string_view label = host.substr(0, dot);
        const auto allowed = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        };
        if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
            return false;
        if (!std::ranges::all_of(label, allowed)) return false;
        numeric = std::ranges::all_of(label, [](char c) { return c >= '0' && c <= '9'; });
        if (dot == std::string_view::npos) break;
        host.remove_prefix(dot + 1);
    }
    return !numeric;  // a last label of digits is an address in a form that we do not take
}

}  // namespace

std::optional<FieldError> UrlRules::refuse(std::string_view text) const {
    if (text.empty())
        return wrong("required", "a webhook needs a url, such as https://example.com/hook");
    if (text.size() > longest_url) return wrong("too_long", "at most 2048 bytes");
    if (!plain_ascii(text)) {
        return wrong(
            "bad_format",
            "only plain ASCII: international names as punycode, everything else percent-encoded");
    }
    if (text.find("://") == std::string_view::npos)
        return wrong("bad_format", "a whole URL, such as https://example.com/hook");
    const Url url(curl_url(), &curl_url_cleanup);
    if (const auto code = curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(),
                                       CURLU_NON_SUPPORT_SCHEME);
        code != CURLUE_OK) {
        return wrong("bad_format", std::string("not a URL: ") + curl_url_strerror(code));
    }

    const std::string scheme = part(url, CURLUPART_SCHEME);
    const bool http_allowed = settings_.allow_http || addresses_.allows_private();
    if (scheme != "https" && !(scheme == "http" && http_allowed)) {
        return wrong("not_allowed", http_allowed ? "the scheme must be https or http"
                                                 : "the scheme must be https");
    }
    if (!part(url, CURLUPART_USER).empty() || !part(url, CURLUPART_PASSWORD).empty() ||
        authority_of(text).find('@') != std::string::npos) {
        return wrong("not_allowed", "no user name or password in the URL");
    }
    if (text.find('#') != std::string_view::npos)
        return wrong("not_allowed", "no fragment (#…) in the URL");

    const std::string host = lower(part(url, CURLUPART_HOST));
    const std::string port = part(url, CURLUPART_PORT);
    if (authority_of(text) != host + (port.empty() ? "" : ":" + port)) {
        return wrong(
            "bad_format",
            "the host must be a name or an address in its usual form, the port plain digits");
    }
    const bool v6 = host.starts_with('[');
    const auto address = parse_address(v6 ? std::string_view(host).substr(1, host.size() - 2)
                                          : std::string_view(host));
    if (!address && (v6 || !is_dns_name(host))) {
        return wrong("bad_format", "the host must be a DNS name, or an address in its usual form");
    }
    if (address && addresses_.denied(*address)) {
        return wrong("not_allowed",
                     "requests must not go to this address: it is private, reserved or denied");
    }
    std::uint16_t number = scheme == "https" ? 443 : 80;
    if (!port.empty()) std::from_chars(port.data(), port.data() + port.size(), number);
    const bool any_port = addresses_.allows_private() || (scheme == "http" && port.empty());
    if (!any_port && std::ranges::find(settings_.ports, number) == settings_.ports.end()) {
        return wrong("not_allowed",
                     "port " + std::to_string(number) + " is not one of delivery.ports");
    }
    return std::nullopt;
}

}  // namespace sundial::webhook
