#include "application/create_endpoint.hpp"

#include <utility>

#include "application/recorded_changes.hpp"

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
                         "INBOX endpoints are switched off here; they are for development"});
    }
    if (wanted.url) found.push_back({"/url", "not_allowed", "an INBOX has no URL"});
    if (wanted.secret) {
        found.push_back({"/secret", "not_allowed", "an INBOX signs nothing: it has no secret"});
    }
}

/// Nothing is ever sent there, so it has nothing that a request needs.
void judge_pull(const NewEndpoint& wanted, Defects& found) {
    if (wanted.url) {
        found.push_back({"/url", "not_allowed", "a PULL endpoint has no URL: its workers come"});
    }
    if (wanted.secret) {
        found.push_back(
            {"/secret", "not_allowed", "nothing is sent to a PULL endpoint: it has no secret"});
    }
    if (!wanted.headers.empty()) {
        found.push_back(
            {"/headers", "not_allowed", "nothing is sent to a PULL endpoint: it has no headers"});
    }
}

/// Sealing is also how a given secret is judged. Only webhooks sign.
Result<NewSecret> secret_of(const NewEndpoint& wanted, Secrets& secrets) {
    if (wanted.type != EndpointType::webhook) return NewSecret{};
    return secrets.seal(wanted.secret);
}

}  // namespace

Result<CreatedEndpoint> CreateEndpoint::run(const NewEndpoint& wanted, const Caller& caller) {
    Endpoint endpoint{.id = EndpointId{ids_.fresh()},
                      .external_id = wanted.external_id,
                      .name = wanted.name,
                      .type = wanted.type,
                      .url = wanted.url.value_or(""),
                      .headers = wanted.headers,
                      .timeout = wanted.timeout,
                      .retry_policy = wanted.retry_policy,
                      .retry_client_errors = wanted.retry_client_errors,
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
    auto secret = secret_of(wanted, secrets_);
    if (!secret) {
        const auto* invalid_secret = std::get_if<ValidationFailed>(&secret.error());
        if (!invalid_secret) return secret.error();
        found.insert(found.end(), invalid_secret->errors.begin(), invalid_secret->errors.end());
    }
    if (!found.empty()) return ValidationFailed{std::move(found)};
    if (!secret->sealed.empty()) endpoint.signing_keys.push_back({.sealed = secret->sealed});
    endpoint.secret_hint = secret->hint;

    return in_transaction(store_, [&](Transaction& tx) -> Result<CreatedEndpoint> {
        endpoint.created_at = endpoint.updated_at = tx.now();
        if (auto added = tx.endpoints().add(endpoint); !added) return added.error();
        tx.record(endpoint_created(endpoint, {ids_.fresh(), caller}));
        return CreatedEndpoint{endpoint, secret->shown};
    });
}

}  // namespace sundial
