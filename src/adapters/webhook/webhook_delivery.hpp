#pragma once

#include <memory>
#include <string>

#include "adapters/webhook/address_rules.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/secrets.hpp"

namespace sundial::webhook {

struct WebhookSettings {
    std::string user_agent = "sundial/1";
    std::string ca_file{};  // empty: the system's certificates
};

/// Signed POST requests by libcurl, many at once on one thread. Sends each at most once: no
/// redirect, no proxy, no resend on a connection that died; connects to no address that the rules
/// deny, whatever the name resolves to.
class WebhookDelivery final : public Delivery {
public:
    WebhookDelivery(WebhookSettings settings, const AddressRules& addresses, Secrets& secrets);
    /// Gives up what is under way: its outcome is retryable.
    ~WebhookDelivery() override;
    WebhookDelivery(const WebhookDelivery&) = delete;
    WebhookDelivery& operator=(const WebhookDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    /// Closes its connection.
    void abandon(const Event& event) override;

private:
    class Sender;
    std::unique_ptr<Sender> sender_;
};

}  // namespace sundial::webhook
