#pragma once

#include <array>
#include <cstdint>
#include <functional>
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
[[nodiscard]] std::string to_string(const Address& address);
/// One of this machine's own: of its interfaces, or 0.0.0.0 or ::, which lead to it too.
[[nodiscard]] bool is_local(const Address& address);

/// `10.0.0.0/8`, `2001:db8::/32`.
struct Network {
    Address base;
    unsigned bits = 0;
};
[[nodiscard]] std::optional<Network> parse_network(std::string_view text);
[[nodiscard]] bool contains(const Network& network, const Address& address);

/// An address and port behind which something listens that no webhook has any business with.
struct Door {
    Address address;
    std::uint16_t port = 0;
};

/// What operators may change of the rules.
struct AddressSettings {
    std::vector<std::string> allow{};  // networks
    std::vector<std::string> deny{};
    bool allow_private = false;
};

/// Where requests may go (reliability 8): public unicast addresses but the database's, and what
/// `allow` adds; never what `deny` adds. With `allow_private` everything but `deny`. Whatever is
/// allowed, never to a door: our own listeners, and the database.
class AddressRules {
public:
    /// Asked at each judgement, from any thread: a database may move.
    using Doors = std::function<std::vector<Door>()>;

    /// `listeners`: our own; an address 0.0.0.0 or :: stands for all of this machine. Throws
    /// CannotStart for a text that is no network.
    explicit AddressRules(const AddressSettings& settings, std::vector<Door> listeners = {},
                          Doors database = {});
    [[nodiscard]] bool denied(const Address& address, std::uint16_t port) const;
    [[nodiscard]] bool allows_private() const { return allow_private_; }

private:
    [[nodiscard]] bool is_listener(const Address& address, std::uint16_t port) const;

    std::vector<Network> allow_;
    std::vector<Network> deny_;
    bool allow_private_;
    std::vector<Door> listeners_;
    Doors database_;
};

}  // namespace sundial::webhook
