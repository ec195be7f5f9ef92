#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/webhook/address_rules.hpp"
#include "adapters/webhook/destination.hpp"
#include "application/ports/destination_rules.hpp"

namespace sundial::webhook {

/// The rules of webhooks for other types of endpoints.
class OwnRules final : public DestinationRules {
public:
    /// Throws CannotStart for settings that cannot be used.
    OwnRules(DestinationSettings destinations, const AddressSettings& addresses,
             std::vector<OwnListener> listeners, AddressRules::OwnListeners database)
        : addresses_(addresses, std::move(listeners), std::move(database)),
          urls_(std::move(destinations), addresses_) {}

    [[nodiscard]] std::optional<FieldError> refuse(std::string_view url) const override {
        return urls_.refuse(url);
    }
    [[nodiscard]] bool denied(std::string_view text, std::uint16_t port) const override {
        const auto address = parse_address(text);
        return !address || addresses_.denied(*address, port);
    }

private:
    AddressRules addresses_;
    UrlRules urls_;
};

}  // namespace sundial::webhook
