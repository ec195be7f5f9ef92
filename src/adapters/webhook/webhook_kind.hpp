#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/webhook/address_rules.hpp"
#include "adapters/webhook/destination.hpp"
#include "adapters/webhook/webhook_delivery.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/secrets.hpp"

namespace sundial::webhook {

inline const EndpointType webhook_type{"WEBHOOK"};

/// WEBHOOK: signed POST requests to a URL of the receiver.
class WebhookKind final : public EndpointKind {
public:
    struct Settings {
        DestinationSettings destinations{};
        AddressSettings addresses{};
        TransferSettings transfer{};
        std::vector<OwnListener> listeners{};   // our own
        AddressRules::OwnListeners database{};  // where the database listens
    };
    /// Throws CannotStart for settings that cannot be used.
    WebhookKind(const Settings& settings, Secrets& secrets, const MonotonicClock& clock,
                const SendPermit& permit = always_permitted)
        : addresses_(settings.addresses, settings.listeners, settings.database),
          urls_(settings.destinations, addresses_),
          delivery_(settings.transfer, urls_, secrets, clock, &Resolver::ask_system, permit) {}

    [[nodiscard]] EndpointType type() const override { return webhook_type; }
    [[nodiscard]] std::vector<FieldError> refuse_new(const TypeSettings& given) const override;
    [[nodiscard]] std::vector<FieldError> refuse_edit(const TypeSettings& given) const override;
    [[nodiscard]] bool signs() const override { return true; }
    [[nodiscard]] bool sends_pings() const override { return true; }
    [[nodiscard]] std::string origin(std::string_view url) const override {
        return urls_.origin(url);
    }
    [[nodiscard]] Delivery* delivery() override { return &delivery_; }

private:
    AddressRules addresses_;
    UrlRules urls_;
    WebhookDelivery delivery_;
};

inline std::vector<FieldError> WebhookKind::refuse_new(const TypeSettings& given) const {
    if (given.url) return refuse_edit(given);
    return {{"/url", "required", "a WEBHOOK needs the URL that it posts to"}};
}

inline std::vector<FieldError> WebhookKind::refuse_edit(const TypeSettings& given) const {
    std::vector<FieldError> found;
    if (!given.url) return found;
    if (auto refused = urls_.refuse(*given.url)) found.push_back(*std::move(refused));
    return found;
}

}  // namespace sundial::webhook
