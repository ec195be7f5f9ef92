#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/sqs/credential_chain.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/destination_rules.hpp"
#include "application/ports/send_permit.hpp"

namespace sundial::sqs {

struct SenderSettings {
    std::string user_agent = "sundial/1";
    std::string ca_file{};  // empty: the system's certificates
    std::chrono::milliseconds connect_timeout{5'000};
    /// How long a message may wait for others to share its request. Bounds what batches add to
    /// lateness.
    std::chrono::milliseconds gather{5};
    std::size_t max_requests = 16;  // under way to one queue; throttling halves it
    /// How long the thread sleeps at most while nothing wakes it: how late it notices an overdue
    /// event or a lost permit.
    std::chrono::milliseconds longest_poll{1'000};
};

/// SendMessageBatch by libcurl, on one thread. Events for one queue that wait at the same time
/// share a request. Each is reported by itself. A request is sent at most once: no redirect, no
/// proxy, no resend. Each address that it connects to is judged by `rules`.
class SqsDelivery final : public Delivery {
public:
    /// Aborts requests that `permit` no longer allows. `world`: as for find_credentials, but with
    /// its own client if `send` is empty.
    SqsDelivery(SenderSettings settings, std::unique_ptr<const DestinationRules> rules,
                CredentialWorld world, const MonotonicClock& clock,
                const SendPermit& permit = always_permitted);
    /// Aborts the requests in progress with a retryable outcome.
    ~SqsDelivery() override;
    SqsDelivery(const SqsDelivery&) = delete;
    SqsDelivery& operator=(const SqsDelivery&) = delete;

    void start(DeliveryRequest request, std::function<void(Outcome)> done) override;
    /// Closes the connection of the event's request, also for the other events in it.
    void abandon(const Event& event) override;

    [[nodiscard]] const DestinationRules& rules() const;

private:
    class Sender;
    std::unique_ptr<Sender> sender_;
};

}  // namespace sundial::sqs
