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

/// An IPv4 or IPv6 address. An IPv4-mapped address is stored as its IPv4 address.
struct Address {
    std::array<std::uint8_t, 16> bytes{};  // network order; IPv4 uses the first four
    bool v6 = false;
    friend bool operator==(const Address&, const Address&) = default;
};

/// Accepts only the canonical text (RFC 5952 for IPv6): no octal, hex, short or dword form, no zone
/// id.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);
/// Empty for another address family.
[[nodiscard]] std::optional<Address> address_of(const sockaddr& address);
[[nodiscard]] std::string to_string(const Address& address);
/// Whether the address belongs to this machine: to one of its interfaces, or 0.0.0.0 or ::, which
/// also lead to it.
[[nodiscard]] bool is_local(const Address& address);

/// `10.0.0.0/8`, `2001:db8::/32`.
struct Network {
    Address base;
    unsigned bits = 0;
};
[[nodiscard]] std::optional<Network> parse_network(std::string_view text);
[[nodiscard]] bool contains(const Network& network, const Address& address);

/// Address and port of a listener that webhooks must never reach.
struct OwnListener {
    Address address;
    std::uint16_t port = 0;
};

/// The operator's changes to the rules.
struct AddressSettings {
    std::vector<std::string> allow{};  // networks
    std::vector<std::string> deny{};
    bool allow_private = false;
};

/// Where requests may go (reliability 8): public unicast addresses except the database's, plus
/// `allow`, minus `deny`. With `allow_private`, every address except `deny`. Our own listeners and
/// the database are always refused, even if `allow` contains them.
class AddressRules {
public:
    /// Called for each decision, from any thread, because a database may move.
    using OwnListeners = std::function<std::vector<OwnListener>()>;

    /// `listeners`: our own; the addresses 0.0.0.0 and :: mean all of this machine. Throws
    /// CannotStart for a text that is not a network.
    explicit AddressRules(const AddressSettings& settings, std::vector<OwnListener> listeners = {},
                          OwnListeners database = {});
    [[nodiscard]] bool denied(const Address& address, std::uint16_t port) const;
    [[nodiscard]] bool allows_private() const { return allow_private_; }

private:
    [[nodiscard]] bool is_listener(const Address& address, std::uint16_t port) const;

    std::vector<Network> allow_;
    std::vector<Network> deny_;
    bool allow_private_;
    std::vector<OwnListener> listeners_;
    OwnListeners database_;
};

}  // namespace sundial::webhook
