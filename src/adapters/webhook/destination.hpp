#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/webhook/address_rules.hpp"
#include "domain/error.hpp"

struct Curl_URL;  // libcurl's CURLU

namespace sundial::webhook {

struct DestinationSettings {
    bool allow_http = false;
    std::vector<std::uint16_t> ports{443, 8443};
};

/// A permitted URL, split by the same parser that sends the request.
struct Target {
    std::shared_ptr<Curl_URL> url;
    std::string host;                // lower case; an IPv6 address without brackets
    std::optional<Address> address;  // of `host`; empty: a DNS name
    std::uint16_t port = 0;
};

/// Decides where requests may go (reliability 8), without network access. Checks URLs with
/// libcurl's parser. Refuses a URL that the parser would rewrite silently.
class UrlRules {
public:
    UrlRules(DestinationSettings settings, const AddressRules& addresses)
        : settings_(std::move(settings)), addresses_(addresses) {}
    /// Called when a URL is stored, and again before every attempt.
    [[nodiscard]] std::variant<Target, FieldError> judge(std::string_view url) const;
    /// The reason to refuse `url`, at pointer /url; empty if it is allowed.
    [[nodiscard]] std::optional<FieldError> refuse(std::string_view url) const;
    /// Scheme, host and port of `url`: https://crm.example, http://[::1]:8080. Empty if `url` is
    /// not a URL.
    [[nodiscard]] std::string origin(std::string_view url) const;
    [[nodiscard]] const AddressRules& addresses() const { return addresses_; }

private:
    [[nodiscard]] bool port_allowed(const std::string& scheme, const std::string& given,
                                    std::uint16_t port) const;

    DestinationSettings settings_;
    const AddressRules& addresses_;
};

}  // namespace sundial::webhook
