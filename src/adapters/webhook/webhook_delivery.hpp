#pragma once

#include <memory>
#include <string>

#include "adapters/webhook/destination.hpp"
#include "adapters/webhook/resolver.hpp"
#include "adapters/webhook/transfer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/secrets.hpp"

namespace sundial::webhook {

/// Sends signed POST requests with libcurl, many at once on one thread. Sends each at most once: no
/// redirect, no proxy, no resend after a broken connection. Every attempt checks the URL again,
/// resolves its name and checks all addresses; a single denied address prevents the connection.
class WebhookDelivery final : public Delivery {
public:
    /// Throws CannotStart if `settings.ca_file` has no certificate. `lookup` is for tests; the
    /// default is the system's resolver.
    WebhookDelivery(TransferSettings settings, const UrlRules& rules, Secrets& secrets,
                    const MonotonicClock& clock, Resolver::Lookup lookup = &Resolver::ask_system);
    /// Aborts the requests in progress with a retryable outcome.
    ~WebhookDelivery() override;
    WebhookDelivery(const WebhookDelivery&) = delete;
    WebhookDelivery& operator=(const WebhookDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    /// Closes the connection of the event's request.
    void abandon(const Event& event) override;

private:
    class Sender;
    std::unique_ptr<Sender> sender_;
};

}  // namespace sundial::webhook
