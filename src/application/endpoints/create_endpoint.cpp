#include "application/endpoints/create_endpoint.hpp"

#include <utility>

#include "application/audit/recorded_changes.hpp"
#include "application/endpoints/endpoint_headers.hpp"
#include "application/endpoints/fresh_keys.hpp"

namespace sundial {
namespace {

using Defects = std::vector<FieldError>;

void judge_webhook(const NewEndpoint& wanted, const DestinationRules& destinations,
                   Defects& found) {
    if (!wanted.url) {
        found.push_back({"/url", "required", "a WEBHOOK needs the URL that it posts to"});
    } else if (auto refused = destinations.refuse(*wanted.url)) {
        found.push_back(*std::move(refused));
    }
}

void judge_inbox(const NewEndpoint& wanted, const EndpointSettings& settings, Defects& found) {
    if (!settings.allow_inbox) {
        found.push_back({"/type", "not_allowed",
                         "INBOX endpoints are disabled (dev.inbox); they are for development"});
    }
    if (wanted.url) found.push_back({"/url", "not_allowed", "an INBOX has no URL"});
    if (wanted.secret) {
        found.push_back({"/secret", "not_allowed", "an INBOX signs nothing: it has no secret"});
    }
    if (wanted.ed25519) {
        found.push_back({"/ed25519", "not_allowed", "an INBOX signs nothing: it has no keys"});
    }
}

/// Nothing is sent to a PULL endpoint, so it takes no settings for requests.
void judge_pull(const NewEndpoint& wanted, Defects& found) {
    if (wanted.url) {
        found.push_back(
            {"/url", "not_allowed", "a PULL endpoint has no URL: its workers claim events"});
    }
    if (wanted.secret) {
        found.push_back(
            {"/secret", "not_allowed", "nothing is sent to a PULL endpoint: it has no secret"});
    }
    if (!wanted.headers.empty()) {
        found.push_back(
            {"/headers", "not_allowed", "nothing is sent to a PULL endpoint: it has no headers"});
    }
    if (wanted.ed25519) {
        found.push_back(
            {"/ed25519", "not_allowed", "nothing is sent to a PULL endpoint: it has no keys"});
    }
    if (wanted.format != BodyFormat::raw) {
        found.push_back(
            {"/format", "not_allowed",
             "a PULL endpoint has the format RAW: its workers get the payload unchanged"});
    }
}

/// Sealing also validates a given secret. Only webhooks sign.
Result<FreshKeys> keys_of(const NewEndpoint& wanted, Secrets& secrets) {
    if (wanted.type != EndpointType::webhook) return FreshKeys{};
    return fresh_keys(secrets, wanted.secret, wanted.ed25519);
}

}  // namespace

Result<CreatedEndpoint> CreateEndpoint::run(const NewEndpoint& wanted, const Caller& caller) {
    Endpoint endpoint{.id = EndpointId{ids_.fresh()},
                      .external_id = wanted.external_id,
                      .name = wanted.name,
                      .type = wanted.type,
                      .url = wanted.url.value_or(""),
                      .format = wanted.format,
                      .headers = {},
                      .timeout = wanted.timeout,
                      .retry_policy = wanted.retry_policy,
                      .retry_client_errors = wanted.retry_client_errors,
                      .rate_limit = wanted.rate_limit,
                      .max_in_flight = wanted.max_in_flight,
                      .enabled = wanted.enabled,
                      .disabled_reason = std::nullopt,
                      .signing_keys = {},
                      .secret_hint = {},
                      .public_key = {},
                      .created_at = {},
                      .updated_at = {}};
    if (!endpoint.enabled) endpoint.disabled_reason = "created disabled";

    Defects found = defects(endpoint, settings_.lease);
    switch (wanted.type) {
        case EndpointType::webhook:
            judge_webhook(wanted, destinations_, found);
            break;
        case EndpointType::inbox:
            judge_inbox(wanted, settings_, found);
            break;
        case EndpointType::pull:
            judge_pull(wanted, found);
            break;
    }
    endpoint.headers = sealed_headers(wanted.headers, secrets_, found);
    auto fresh = keys_of(wanted, secrets_);
    if (!fresh) {
        const auto* invalid_secret = std::get_if<ValidationFailed>(&fresh.error());
        if (!invalid_secret) return fresh.error();
        found.insert(found.end(), invalid_secret->errors.begin(), invalid_secret->errors.end());
    }
    if (!found.empty()) return ValidationFailed{std::move(found)};
    endpoint.signing_keys = fresh->keys;
    endpoint.secret_hint = fresh->secret_hint;
    endpoint.public_key = fresh->public_key;

    return in_transaction(store_, [&](Transaction& tx) -> Result<CreatedEndpoint> {
        endpoint.created_at = endpoint.updated_at = tx.now();
        if (auto added = tx.endpoints().add(endpoint); !added) return added.error();
        tx.record(endpoint_created(endpoint, {ids_.fresh(), caller}));
        return CreatedEndpoint{endpoint, fresh->secret};
    });
}

}  // namespace sundial
