#include "adapters/webhook/request_headers.hpp"

#include <chrono>

#include "adapters/webhook/request_body.hpp"
#include "adapters/webhook/trace.hpp"
#include "base/check.hpp"

namespace sundial::webhook {
namespace {

/// CloudEvents' binary mode: the attributes are headers, and the payload is unchanged.
void add_cloud_event(HeaderList& headers, const Event& event) {
    const CloudEvent cloud = cloud_event(event);
    headers.emplace_back("ce-specversion", "1.0");
    headers.emplace_back("ce-id", cloud.id);
    headers.emplace_back("ce-source", cloud.source);
    headers.emplace_back("ce-type", cloud.type);
    headers.emplace_back("ce-time", cloud.time);
}

}  // namespace

HeaderList request_headers(const DeliveryRequest& request, std::string_view body,
                           const Credentials& credentials, std::string_view user_agent) {
    base::check(request.endpoint != nullptr);
    const Endpoint& endpoint = *request.endpoint;
    const Event& event = request.event;
    const std::string& id = event.key.value;
    const auto timestamp = std::chrono::floor<std::chrono::seconds>(request.now);
    HeaderList headers{{"Content-Type", content_type(endpoint.format)},
                       {"Content-Length", std::to_string(body.size())},
                       {"User-Agent", std::string(user_agent)},
                       {"webhook-id", id},
                       {"X-Idempotency-Key", id},
                       {"Idempotency-Key", '"' + id + '"'},
                       {"webhook-timestamp", std::to_string(timestamp.time_since_epoch().count())}};
    if (!credentials.keys.empty()) {
        headers.emplace_back("webhook-signature", sign(credentials.keys, id, timestamp, body));
    }
    headers.emplace_back("Sundial-Event-Id", to_string(event.id));
    headers.emplace_back("Sundial-Event-Type", event.type);
    headers.emplace_back("Sundial-Attempt", std::to_string(event.attempt.value));
    headers.emplace_back("Sundial-Target-Time", request.target_time);
    if (endpoint.format == BodyFormat::raw) add_cloud_event(headers, event);
    headers.emplace_back("traceparent", traceparent(event.id, event.attempt));
    headers.insert(headers.end(), credentials.headers.begin(), credentials.headers.end());
    return headers;
}

}  // namespace sundial::webhook
