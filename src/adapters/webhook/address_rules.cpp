#include "adapters/webhook/address_rules.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include "application/ports/failures.hpp"

namespace sundial::webhook {
namespace {

constexpr std::array<std::string_view, 15> denied_v4{
    "0.0.0.0/8",     "10.0.0.0/8",      "100.64.0.0/10",  "127.0.0.0/8",    "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24",    "192.0.2.0/24",   "192.88.99.0/24", "192.168.0.0/16",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",    "240.0.0.0/4"};
constexpr std::string_view global_v6 = "2000::/3";  // all other addresses are denied
constexpr std::array<std::string_view, 4> denied_v6{"2001::/23", "2001:db8::/32", "2002::/16",
                                                    "3fff::/20"};

/// An IPv4-mapped address is checked as its IPv4 address.
Address unwrapped(Address address) {
    constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
    if (!address.v6 || !std::equal(mapped.begin(), mapped.end(), address.bytes.begin()))
        return address;
    Address plain;
    std::copy(address.bytes.begin() + 12, address.bytes.end(), plain.bytes.begin());
    return plain;
}

std::vector<Network> networks_in(std::span<const std::string> texts, std::string_view setting) {
    std::vector<Network> networks;
    for (const std::string& text : texts) {
        const auto network = parse_network(text);
        if (!network) {
            throw CannotStart(std::string(setting) + ": '" + text +
                              "' is not a network such as 10.0.0.0/8 or fd00::/8");
        }
        networks.push_back(*network);
    }
    return networks;
}

template <std::size_t n>
std::vector<Network> built_in(const std::array<std::string_view, n>& texts) {
    std::vector<Network> networks;
    for (const std::string_view text : texts) networks.push_back(parse_network(text).value());
    return networks;
}

bool in_any(const std::vector<Network>& networks, const Address& address) {
    return std::ranges::any_of(networks,
                               [&](const Network& network) { return contains(network, address); });
}

bool is_unspecified(const Address& address) { return address.bytes == Address{}.bytes; }

/// Whether a request to the address reaches the listener: the same address, or one of this machine
/// if the listener uses all addresses.
bool same_host(const Address& listener, const Address& address) {
    if (is_unspecified(listener)) return is_local(address);
    return listener == address || (is_unspecified(address) && is_local(listener));
}

bool denied_by_default(const Address& address) {
    static const std::vector<Network> v4 = built_in(denied_v4);
    static const std::vector<Network> v6 = built_in(denied_v6);
    static const Network global = parse_network(global_v6).value();
    if (!address.v6) return in_any(v4, address);
    return !contains(global, address) || in_any(v6, address);
}

}  // namespace

std::string to_string(const Address& address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int family = address.v6 ? AF_INET6 : AF_INET;
    return ::inet_ntop(family, address.bytes.data(), text.data(), text.size());
}

bool is_local(const Address& address) {
    if (is_unspecified(address)) return true;
    static const Network loopback = parse_network("127.0.0.0/8").value();
    // All of the network, though an interface lists only one address.
    if (contains(loopback, address)) return true;
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return true;  // deny if the check fails
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owned(all, &::freeifaddrs);
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr != nullptr && address_of(*one->ifa_addr) == address) return true;
    }
    return false;
}

std::optional<Address> parse_address(std::string_view text) {
    const std::string copy{text};
    Address address;
    address.v6 = text.find(':') != std::string_view::npos;
    const int family = address.v6 ? AF_INET6 : AF_INET;
    std::array<char, INET6_ADDRSTRLEN> canonical{};
    if (::inet_pton(family, copy.c_str(), address.bytes.data()) != 1) return std::nullopt;
    if (::inet_ntop(family, address.bytes.data(), canonical.data(), canonical.size()) == nullptr)
        return std::nullopt;
    if (copy != canonical.data()) return std::nullopt;
    return unwrapped(address);
}

std::optional<Address> address_of(const sockaddr& address) {
    Address result;
    if (address.sa_family == AF_INET) {
        std::memcpy(result.bytes.data(), &reinterpret_cast<const sockaddr_in&>(address).sin_addr,
                    4);
        return result;
    }
    if (address.sa_family != AF_INET6) return std::nullopt;
    result.v6 = true;
    std::memcpy(result.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
    return unwrapped(result);
}

std::optional<Network> parse_network(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto base = parse_address(text.substr(0, slash));
    if (!base) return std::nullopt;
    const std::string_view digits = text.substr(slash + 1);
    unsigned bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc{} || end != digits.data() + digits.size() ||
        bits > (base->v6 ? 128U : 32U)) {
        return std::nullopt;
    }
    return Network{*base, bits};
}

bool contains(const Network& network, const Address& address) {
    if (network.base.v6 != address.v6) return false;
    for (unsigned bit = 0; bit < network.bits; ++bit) {
        const unsigned mask = 0x80U >> bit % 8;
        if ((network.base.bytes[bit / 8] & mask) != (address.bytes[bit / 8] & mask)) return false;
    }
    return true;
}

AddressRules::AddressRules(const AddressSettings& settings, std::vector<OwnListener> listeners,
                           OwnListeners database)
    : allow_(networks_in(settings.allow, "delivery.allow")),
      deny_(networks_in(settings.deny, "delivery.deny")),
      allow_private_(settings.allow_private),
      listeners_(std::move(listeners)),
      database_(std::move(database)) {}

bool AddressRules::is_listener(const Address& address, std::uint16_t port) const {
    return std::ranges::any_of(listeners_, [&](const OwnListener& listener) {
        return listener.port == port && same_host(listener.address, address);
    });
}

bool AddressRules::denied(const Address& address, std::uint16_t port) const {
    if (in_any(deny_, address) || is_listener(address, port)) return true;
    const bool allowed = allow_private_ || in_any(allow_, address);
    const auto databases = database_ ? database_() : std::vector<OwnListener>{};
    for (const OwnListener& database : databases) {
        if (!same_host(database.address, address)) continue;
        if (!allowed || database.port == port) return true;
    }
    return !allowed && denied_by_default(address);
}

}  // namespace sundial::webhook
