#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sockaddr;

namespace sundial::webhook {

/// An IPv4 or IPv6 address; an IPv4-mapped one is the IPv4 address that it stands for.
struct Address {
    std::array<std::uint8_t, 16> bytes{};  // network order; IPv4 in the first four
    bool v6 = false;
    friend bool operator==(const Address&, const Address&) = default;
};

/// Takes only the canonical text (RFC 5952 for IPv6): no octal, hex, short or dword form, no zone
/// id.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
/// Nothing for another family.
[[nodiscard]] std::optional<Address> address_of(const sockaddr& address);

/// `10.0.0.0/8`, `2001:db8::/32`.
struct Network {
    Address base;
    unsigned bits = 0;
};
[[nodiscard]] std::optional<Network> parse_network(std::string_view text);
[[nodiscard]] bool contains(const Network& network, const Address& address);

/// Where requests may go (reliability 8): public unicast addresses, and what `allow` adds; never
/// what `deny` adds. With `allow_private` everything but `deny`.
class AddressRules {
public:
    /// Throws CannotStart for a text that is no network.
    AddressRules(std::span<const std::string> allow, std::span<const std::string> deny,
                 bool allow_private);
    [[nodiscard]] bool denied(const Address& address) const;
    [[nodiscard]] bool allows_private() const { return allow_private_; }

private:
    std::vector<Network> allow_;
    std::vector<Network> deny_;
    bool allow_private_;
};

}  // namespace sundial::webhook
