#include "adapters/webhook/request.hpp"

#include <chrono>

#include "base/check.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"
#include "domain/trace_context.hpp"

namespace sundial::webhook {
namespace {

std::string envelope(const Event& event) {
    base::JsonWriter json;
    json.begin_object()
        .member("type", event.type)
        .member("timestamp", format_instant_millis(event.due))
        .key("data")
        .raw(event.payload)
        .end_object();
    return std::move(json).text();
}

std::string structured(const CloudEvent& event, std::string_view data) {
    base::JsonWriter json;
    json.begin_object()
        .member("specversion", "1.0")
        .member("id", event.id)
        .member("source", event.source)
        .member("type", event.type)
        .member("time", event.time)
        .member("datacontenttype", "application/json")
        .key("data")
        .raw(data)
        .end_object();
    return std::move(json).text();
}

}  // namespace

CloudEvent cloud_event(const Event& event) {
    const auto& occurrence = event.occurrence;
    return {.id = event.key.value,
            .source = occurrence ? "/v1/schedules/" + to_string(occurrence->schedule)
                                 : std::string("/v1/events"),
            .type = event.type,
            .time = format_instant_millis(event.due)};
}

std::string request_body(const Event& event, BodyFormat format) {
    switch (format) {
        case BodyFormat::raw:
            return event.payload;
        case BodyFormat::envelope:
            return envelope(event);
        case BodyFormat::cloudevents:
            break;
    }
    return structured(cloud_event(event), event.payload);
}

std::string content_type(BodyFormat format) {
    return format == BodyFormat::cloudevents ? "application/cloudevents+json; charset=UTF-8"
                                             : "application/json";
}

std::vector<OpenKey> open_keys(std::span<const SigningKey> keys, Secrets& secrets) {
    std::vector<OpenKey> open;
    open.reserve(keys.size());
    for (const SigningKey& key : keys) open.push_back({key.scheme, secrets.open(key.sealed)});
    return open;
}

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
    // Without a decision of the caller or a setting it is sampled: a receiver that follows its
    // caller's decision should record its processing of the event.
    const TraceContext trace = request.trace.value_or(attempt_context(event, 1));
    headers.emplace_back("traceparent", traceparent(trace));
    if (!trace.state.empty()) headers.emplace_back("tracestate", trace.state);
    headers.insert(headers.end(), credentials.headers.begin(), credentials.headers.end());
    return headers;
}

}  // namespace sundial::webhook
