#include "embedded/endpoints.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/webhook/inbox_kind.hpp"
#include "adapters/webhook/webhook_kind.hpp"
#include "application/ports/failures.hpp"
#include "application/pull/pull_kind.hpp"
#include "embedded/answers.hpp"

namespace sundial::embedding {
namespace {

constexpr std::size_t endpoints_per_page = 500;

/// For an engine that sends no requests.
class NoSecrets final : public Secrets {
public:
    sundial::Result<NewSecret, ValidationFailed> seal(
        const std::optional<std::string>& /*given*/) override {
        return NewSecret{};
    }
    sundial::Result<NewKeyPair, ValidationFailed> new_key_pair() override { return NewKeyPair{}; }
    std::optional<std::string> seal_text(std::string_view /*text*/) override { return {}; }
    std::string open(const std::string& /*sealed*/) override { return {}; }
    std::optional<std::string> resealed(const std::string& /*sealed*/) override { return {}; }
};

std::vector<std::string> encryption_keys(const WebhookOptions& options) {
    if (!options.encryption_keys.empty()) {
        return system::parse_encryption_keys(options.encryption_keys,
                                             "Options::webhooks.encryption_keys");
    }
    if (!options.key_file.empty()) return system::keys_from_file(options.key_file);
    throw CannotStart{
        "webhooks need a key that encrypts their signing secrets: set "
        "Options::webhooks.encryption_keys or key_file"};
}

webhook::WebhookKind::Settings webhook_settings(const WebhookOptions& options) {
    webhook::check_certificates(options.ca_file);
    return {.destinations = {.allow_http = options.allow_http, .ports = options.ports},
            .addresses = {.allow = {}, .deny = {}, .allow_private = options.allow_private},
            .transfer = {.ca_file = options.ca_file},
            .listeners = {},
            .database = [] { return std::vector<webhook::OwnListener>{}; }};
}

sundial::EndpointType type_of(EndpointType type) {
    switch (type) {
        case EndpointType::webhook:
            return webhook::webhook_type;
        case EndpointType::inbox:
            return webhook::inbox_type;
        case EndpointType::pull:
            break;
    }
    return pull_type;
}

}  // namespace

std::unique_ptr<Secrets> open_secrets(const std::optional<WebhookOptions>& options) {
    if (!options) return std::make_unique<NoSecrets>();
    return std::make_unique<system::SecretBox>(encryption_keys(*options));
}

EndpointKinds endpoint_kinds(const std::optional<WebhookOptions>& options, Store& store, Ids& ids,
                             Secrets& secrets, const MonotonicClock& monotonic,
                             const SendPermit& permit) {
    EndpointKinds kinds;
    kinds.add(std::make_unique<PullKind>());
    if (!options) return kinds;
    kinds.add(std::make_unique<webhook::WebhookKind>(webhook_settings(*options), secrets, monotonic,
                                                     permit));
    kinds.add(std::make_unique<webhook::InboxKind>(
        webhook::InboxKind::Settings{.allowed = true, .user_agent = "sundial/1"}, store, secrets,
        ids));
    return kinds;
}

sundial::NewEndpoint requested_endpoint(const NewEndpoint& requested) {
    sundial::NewEndpoint endpoint{.type = type_of(requested.type)};
    endpoint.name = requested.name;
    endpoint.url = unless_empty(requested.url);
    for (const auto& [name, value] : requested.headers) endpoint.headers.push_back({name, value});
    endpoint.timeout = requested.timeout;
    if (!requested.retry_delays.empty()) {
        endpoint.retry_policy = {.kind = RetryPolicy::Kind::custom,
                                 .custom = requested.retry_delays};
    }
    endpoint.max_in_flight = requested.max_in_flight;
    if (requested.max_per_second) {
        endpoint.rate_limit = RateLimit{*requested.max_per_second, *requested.max_per_second};
    }
    endpoint.enabled = requested.enabled;
    endpoint.secret = unless_empty(requested.secret);
    endpoint.ed25519 = requested.ed25519;
    return endpoint;
}

EndpointEdit requested_edit(const EndpointChange& change) {
    EndpointEdit edit;
    edit.url = change.url;
    edit.headers.members = change.headers;
    edit.timeout = change.timeout;
    if (change.retry_delays) {
        const bool none = change.retry_delays->empty();
        edit.retry_policy =
            none ? RetryPolicy{}
                 : RetryPolicy{.kind = RetryPolicy::Kind::custom, .custom = *change.retry_delays};
    }
    if (change.max_in_flight) {
        edit.max_in_flight.emplace();
        if (*change.max_in_flight > 0) *edit.max_in_flight = change.max_in_flight;
    }
    if (change.max_per_second) {
        edit.rate_limit.emplace();
        if (*change.max_per_second > 0) {
            *edit.rate_limit = RateLimitEdit{change.max_per_second, change.max_per_second};
        }
    }
    edit.enabled = change.enabled;
    edit.ed25519 = change.ed25519;
    edit.retry_waiting = change.retry_waiting;
    return edit;
}

Endpoint shown(const sundial::Endpoint& endpoint) {
    Endpoint one{.id = to_string(endpoint.id),
                 .name = endpoint.external_id.value_or(""),
                 .type = endpoint.type.value,
                 .url = endpoint.url,
                 .enabled = endpoint.enabled,
                 .disabled_reason = endpoint.disabled_reason.value_or(""),
                 .secret_hint = endpoint.secret_hint,
                 .version = endpoint.version.value,
                 .headers = {},
                 .timeout = endpoint.timeout,
                 .retry_delays = delays(endpoint.retry_policy),
                 .max_in_flight = endpoint.max_in_flight,
                 .max_per_second = {},
                 .public_key = endpoint.public_key};
    for (const EndpointHeader& header : endpoint.headers) one.headers.push_back(header.name);
    if (endpoint.rate_limit) one.max_per_second = endpoint.rate_limit->per_second;
    return one;
}

StoredEndpoint shown(const PutEndpointResult& stored) {
    return {.endpoint = shown(stored.endpoint), .secret = stored.secret, .created = stored.created};
}

StoredEndpoint shown(const CreatedEndpoint& rotated) {
    return {.endpoint = shown(rotated.endpoint), .secret = rotated.secret, .created = false};
}

EndpointTest shown(const TestDelivery& sent) {
    return {.event_id = to_string(sent.event.id),
            .accepted = sent.outcome.verdict == Verdict::accepted,
            .status = sent.outcome.status_code,
            .error = failure_reason(sent.outcome),
            .response_body = sent.outcome.response_body,
            .duration = sent.outcome.duration};
}

namespace {

ReceivedSignature received_signature(const SignatureCheck& check) {
    return {.state = std::string{to_string(check.state)},
            .secret = std::string{secret_of(check).value_or("")},
            .age = check.age};
}

}  // namespace

std::vector<ReceivedRequest> shown(const Page<CheckedRequest>& page) {
    std::vector<ReceivedRequest> requests;
    requests.reserve(page.items.size());
    for (const auto& [received, signature] : page.items) {
        requests.push_back({.received_at = received.received_at,
                            .headers = received.headers,
                            .body = received.body,
                            .signature = received_signature(signature)});
    }
    return requests;
}

std::vector<Endpoint> list_endpoints(Queries& queries) {
    std::vector<Endpoint> all;
    EndpointQuery query;
    query.page.limit = endpoints_per_page;
    while (true) {
        const Page<sundial::Endpoint> page = queries.endpoints(query);
        for (const sundial::Endpoint& endpoint : page.items) all.push_back(shown(endpoint));
        if (page.passed) {
            query.page.after = page.passed;
        } else if (page.has_more) {
            const sundial::Endpoint& last = page.items.back();
            query.page.after =
                PageKey{std::to_string(last.created_at.time_since_epoch().count()), last.id.value};
        } else {
            return all;
        }
    }
}

}  // namespace sundial::embedding
