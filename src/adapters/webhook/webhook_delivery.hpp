#pragma once

#include <memory>
#include <string>

#include "adapters/webhook/destination.hpp"
#include "adapters/webhook/resolver.hpp"
#include "adapters/webhook/transfer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/send_permit.hpp"

namespace sundial::webhook {

/// A file that cannot be read would fail every delivery, one after the other. Throws CannotStart if
/// there is no certificate in `file`, the setting delivery.ca_file; empty: the system's are used.
void check_certificates(const std::string& file);

/// Signed POST requests by libcurl, many at once on one thread. Sends each at most once: no
/// redirect, no proxy, no resend on a connection that died. Every attempt checks the URL again,
/// resolves its name and checks each address. If one address is denied, it connects to none.
class WebhookDelivery final : public Delivery {
public:
    /// Throws as `check_certificates` does. `lookup` is for tests: by default the system's. Aborts
    /// requests that `permit` no longer allows.
    WebhookDelivery(TransferSettings settings, const UrlRules& rules, Secrets& secrets,
                    const MonotonicClock& clock, Resolver::Lookup lookup = &Resolver::ask_system,
                    const SendPermit& permit = always_permitted);
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
