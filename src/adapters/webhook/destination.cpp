#include "adapters/webhook/destination.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace sundial::webhook {
namespace {

constexpr std::size_t longest_url = 2048;

FieldError wrong(std::string code, std::string message) {
    return {"/url", std::move(code), std::move(message)};
}

std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
    char* text = nullptr;
    if (curl_url_get(url, which, &text, flags) != CURLUE_OK) return "";
    const std::unique_ptr<char, decltype(&curl_free)> owned(text, &curl_free);
    return text;
}

bool plain_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
        return c > ' ' && c < 127 && c != '\\' && c != '"' && c != '<' && c != '>';
    });
}

/// The part between `://` and the path, in lower case.
std::string authority_of(std::string_view url) {
    url.remove_prefix(url.find("://") + 3);
    return base::lowered(url.substr(0, url.find_first_of("/?#")));
}

/// If the last label is a number, the host is an address in a form that is not accepted.
bool is_number(std::string_view label) {
    const bool hex = label.starts_with("0x");
    return std::ranges::all_of(hex ? label.substr(2) : label, [hex](char c) {
        return (c >= '0' && c <= '9') || (hex && c >= 'a' && c <= 'f');
    });
}

bool is_dns_name(std::string_view host) {
    if (host.size() > 253) return false;
    std::string_view last;
    while (true) {
        const auto dot = host.find('.');
        const std::string_view label = host.substr(0, dot);
        const auto allowed = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        };
        if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-')
            return false;
        if (!std::ranges::all_of(label, allowed)) return false;
        last = label;
        if (dot == std::string_view::npos) break;
        host.remove_prefix(dot + 1);
    }
    return !is_number(last);
}

/// Checks that need no parsing.
std::optional<FieldError> refuse_text(std::string_view text) {
    if (text.empty())
        return wrong("required", "a webhook needs a url, such as https://example.com/hook");
    if (text.size() > longest_url) return wrong("too_long", "at most 2048 bytes");
    if (!plain_ascii(text)) {
        return wrong("bad_format",
                     "use only ASCII: write international names as punycode and percent-encode "
                     "other characters");
    }
    if (text.find("://") == std::string_view::npos)
        return wrong("bad_format", "a whole URL, such as https://example.com/hook");
    return std::nullopt;
}

std::string_view without_brackets(std::string_view host) {
    return host.starts_with('[') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

bool UrlRules::port_allowed(const std::string& scheme, const std::string& given,
                            std::uint16_t port) const {
    if (addresses_.allows_private() || (scheme == "http" && given.empty())) return true;
    return std::ranges::find(settings_.ports, port) != settings_.ports.end();
}

std::variant<Target, FieldError> UrlRules::judge(std::string_view text) const {
    if (auto refused = refuse_text(text)) return *std::move(refused);
    const std::shared_ptr<CURLU> url(curl_url(), &curl_url_cleanup);
    if (const auto code = curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(),
                                       CURLU_NON_SUPPORT_SCHEME);
        code != CURLUE_OK) {
        return wrong("bad_format", std::string("not a URL: ") + curl_url_strerror(code));
    }

    const std::string scheme = part(url.get(), CURLUPART_SCHEME);
    const bool http_allowed = settings_.allow_http || addresses_.allows_private();
    if (scheme != "https" && !(scheme == "http" && http_allowed)) {
        return wrong("not_allowed", http_allowed ? "the scheme must be https or http"
                                                 : "the scheme must be https");
    }
    const std::string authority = authority_of(text);
    if (authority.find('@') != std::string::npos)
        return wrong("not_allowed", "no user name or password in the URL");
    if (text.find('#') != std::string_view::npos)
        return wrong("not_allowed", "no fragment (#…) in the URL");

    const std::string host = base::lowered(part(url.get(), CURLUPART_HOST));
    const std::string port = part(url.get(), CURLUPART_PORT);
    if (authority != host + (port.empty() ? "" : ":" + port)) {
        return wrong(
            "bad_format",
            "the host must be a name or an address in its usual form, the port plain digits");
    }
    Target target{.url = url, .host = std::string(without_brackets(host)), .address = std::nullopt};
    target.address = parse_address(target.host);
    if (!target.address && (host.starts_with('[') || !is_dns_name(host))) {
        return wrong("bad_format", "the host must be a DNS name, or an address in its usual form");
    }
    target.port = scheme == "https" ? 443 : 80;
    if (!port.empty()) std::from_chars(port.data(), port.data() + port.size(), target.port);
    if (target.address && addresses_.denied(*target.address, target.port)) {
        return wrong("not_allowed",
                     "requests must not go to this address: it is private, reserved or denied");
    }
    if (!port_allowed(scheme, port, target.port)) {
        return wrong("not_allowed",
                     "port " + std::to_string(target.port) + " is not one of delivery.ports");
    }
    return target;
}

std::optional<FieldError> UrlRules::refuse(std::string_view url) const {
    auto judged = judge(url);
    if (auto* error = std::get_if<FieldError>(&judged)) return std::move(*error);
    return std::nullopt;
}

std::string UrlRules::origin(std::string_view text) const {
    const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
    if (curl_url_set(url.get(), CURLUPART_URL, std::string(text).c_str(),
                     CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
        return "";
    }
    const std::string port = part(url.get(), CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
    return part(url.get(), CURLUPART_SCHEME) + "://" +
           base::lowered(part(url.get(), CURLUPART_HOST)) + (port.empty() ? "" : ':' + port);
}

}  // namespace sundial::webhook
