#include "adapters/webhook/request_headers.hpp"

#include <chrono>

#include "adapters/webhook/signature.hpp"

namespace sundial::webhook {

HeaderList request_headers(const DeliveryRequest& request, std::string_view key,
                           std::string_view user_agent) {
    const Event& event = request.event;
    const std::string& id = event.key.value;
    const auto timestamp = std::chrono::floor<std::chrono::seconds>(request.now);
    HeaderList headers{{"Content-Type", "application/json"},
                       {"Content-Length", std::to_string(event.payload.size())},
                       {"User-Agent", std::string(user_agent)},
                       {"webhook-id", id},
                       {"X-Idempotency-Key", id},
                       {"Idempotency-Key", '"' + id + '"'},
                       {"webhook-timestamp", std::to_string(timestamp.time_since_epoch().count())}};
    if (!key.empty())
        headers.emplace_back("webhook-signature", sign(key, id, timestamp, event.payload));
    headers.emplace_back("Sundial-Event-Id", to_string(event.id));
    headers.emplace_back("Sundial-Event-Type", event.type);
    headers.emplace_back("Sundial-Attempt", std::to_string(event.attempt.value));
    headers.emplace_back("Sundial-Target-Time", request.target_time);
    if (request.endpoint) {
        headers.insert(headers.end(), request.endpoint->headers.begin(),
                       request.endpoint->headers.end());
    }
    return headers;
}

}  // namespace sundial::webhook
