#include "adapters/http/trusted_proxies.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "application/ports/failures.hpp"
#include "base/text.hpp"

namespace sundial::http {

std::string network_of(const std::string& address) {
    namespace ip = boost::asio::ip;
    constexpr unsigned short bits_of_one_client = 64;
    boost::system::error_code failure;
    const ip::address parsed = ip::make_address(address, failure);
    if (failure || parsed.is_v4()) return address;
    const ip::address_v6 v6 = parsed.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
    return ip::network_v6(ip::address_v6(v6.to_bytes()), bits_of_one_client)
        .canonical()
        .to_string();
}

namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address> address_in(std::string_view text) {
    boost::system::error_code failure;
    const ip::address address = ip::make_address(std::string(text), failure);
    if (failure) return std::nullopt;
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        return ip::make_address_v4(ip::v4_mapped, address.to_v6());
    }
    return address;
}

/// The addresses in X-Forwarded-For, the nearest first.
std::vector<std::string_view> forwarded_for(const Headers& headers) {
    std::vector<std::string_view> names;
    for (const Parameter& field : headers.all()) {
        if (!same_ignoring_case(field.name, "X-Forwarded-For")) continue;
        for (std::string_view rest = field.value;;) {
            const auto comma = rest.find(',');
            names.push_back(base::trimmed(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
    }
    std::ranges::reverse(names);
    return names;
}

}  // namespace

struct TrustedProxies::Networks {
    std::vector<ip::network_v4> v4;
    std::vector<ip::network_v6> v6;

    void add(const std::string& text) {
        boost::system::error_code failure;
        if (const auto address = address_in(text)) {
            if (address->is_v4()) {
                v4.emplace_back(address->to_v4(), 32);
            } else {
                v6.emplace_back(address->to_v6(), 128);
            }
            return;
        }
        if (const auto network = ip::make_network_v4(text, failure); !failure) {
            v4.push_back(network.canonical());
            return;
        }
        const auto network = ip::make_network_v6(text, failure);
        if (failure) {
            throw CannotStart("http.trusted_proxies: '" + text +
                              "' is not a network; write 10.0.0.0/8, fd00::/8, or an address");
        }
        v6.push_back(network.canonical());
    }

    [[nodiscard]] bool contain(const ip::address& address) const {
        if (address.is_v4()) {
            return std::ranges::any_of(v4, [&](const ip::network_v4& network) {
                return ip::network_v4(address.to_v4(), network.prefix_length()).canonical() ==
                       network;
            });
        }
        return std::ranges::any_of(v6, [&](const ip::network_v6& network) {
            return ip::network_v6(address.to_v6(), network.prefix_length()).canonical() == network;
        });
    }
};

TrustedProxies::TrustedProxies(const std::vector<std::string>& networks) {
    auto all = std::make_unique<Networks>();
    for (const std::string& network : networks) all->add(network);
    networks_ = std::move(all);
}

TrustedProxies::~TrustedProxies() = default;
TrustedProxies::TrustedProxies(TrustedProxies&&) noexcept = default;
TrustedProxies& TrustedProxies::operator=(TrustedProxies&&) noexcept = default;

bool TrustedProxies::trusts(const std::string& address) const {
    const auto known = address_in(address);
    return known && networks_->contain(*known);
}

std::string TrustedProxies::client_of(const std::string& peer, const Headers& headers) const {
    std::string client = peer;
    if (!trusts(peer)) return client;
    for (const std::string_view name : forwarded_for(headers)) {
        const auto address = address_in(name);
        if (!address) break;  // keep the last valid address
        client = address->to_string();
        if (!networks_->contain(*address)) break;
    }
    return client;
}

}  // namespace sundial::http
