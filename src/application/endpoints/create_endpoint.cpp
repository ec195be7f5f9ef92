#include "application/endpoints/create_endpoint.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "application/audit/recorded_changes.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/endpoint_headers.hpp"
#include "application/endpoints/signing_secrets.hpp"

namespace sundial {
namespace {

using Defects = std::vector<FieldError>;

/// Sealing also validates a given secret.
EndpointResult<FreshKeys> keys_of(const NewEndpoint& requested, const EndpointKind& kind,
                                  Secrets& secrets) {
    if (!kind.signs() && !(kind.takes_secret() && requested.secret)) return FreshKeys{};
    return fresh_keys(secrets, requested.secret, requested.ed25519);
}

/// Bounds the attempts. Each attempt but the last lost to a concurrent create or delete of the same
/// endpoint.
constexpr int put_turns = 5;

}  // namespace

TypeSettings type_settings(const NewEndpoint& requested) {
    return {.url = requested.url,
            .format = requested.format,
            .headers = !requested.headers.empty(),
            .secret = requested.secret.has_value(),
            .ed25519 = requested.ed25519,
            .options = requested.options};
}

EndpointResult<CreatedEndpoint> CreateEndpoint::run(const NewEndpoint& requested,
                                                    const Caller& caller) {
    const EndpointKind* kind = kinds_.find(requested.type);
    if (kind == nullptr) {
        return invalid(
            "/type", "not_allowed",
            "there is no type '" + requested.type.value + "'; choose one of " + kinds_.names());
    }
    Endpoint endpoint{.id = EndpointId{ids_.fresh()},
                      .external_id = requested.external_id,
                      .name = requested.name,
                      .type = requested.type,
                      .url = requested.url.value_or(""),
                      .format = requested.format,
                      .options = requested.options,
                      .headers = {},
                      .timeout = requested.timeout,
                      .retry_policy = requested.retry_policy,
                      .retry_client_errors = requested.retry_client_errors,
                      .rate_limit = requested.rate_limit,
                      .max_in_flight = requested.max_in_flight,
                      .enabled = requested.enabled,
                      .disabled_reason = std::nullopt,
                      .signing_keys = {},
                      .secret_hint = {},
                      .public_key = {},
                      .created_at = {},
                      .updated_at = {}};
    if (!endpoint.enabled) endpoint.disabled_reason = "created disabled";

    Defects found = defects(endpoint, lease_);
    const TypeSettings given = type_settings(requested);
    std::ranges::move(refuse_foreign_options(*kind, given), std::back_inserter(found));
    std::ranges::move(kind->refuse_new(given), std::back_inserter(found));
    if (found.empty()) found = kind->refuse_whole(endpoint);
    endpoint.headers = sealed_headers(requested.headers, secrets_, found);
    auto fresh = keys_of(requested, *kind, secrets_);
    if (!fresh) {
        const auto* invalid_secret = std::get_if<ValidationFailed>(&fresh.error());
        if (!invalid_secret) return fresh.error();
        found.insert(found.end(), invalid_secret->errors.begin(), invalid_secret->errors.end());
    }
    if (!found.empty()) return ValidationFailed{std::move(found)};
    endpoint.signing_keys = fresh->keys;
    endpoint.secret_hint = fresh->secret_hint;
    endpoint.public_key = fresh->public_key;

    return in_transaction(store_, [&](Transaction& tx) -> EndpointResult<CreatedEndpoint> {
        endpoint.created_at = endpoint.updated_at = tx.now();
        if (auto added = tx.endpoints().add(endpoint); !added) return added.error();
        tx.record(endpoint_created(endpoint, {ids_.fresh(), caller}));
        return CreatedEndpoint{endpoint, fresh->secret};
    });
}

EndpointResult<PutEndpointResult> PutEndpoint::run(const std::string& external_id,
                                                   NewEndpoint requested,
                                                   std::optional<Version> expected,
                                                   const Caller& caller, bool retry_waiting) {
    requested.external_id = external_id;
    const std::string reference = "ext:" + external_id;
    for (int turn = 1;; ++turn) {
        auto replaced = edit_.replace(reference, requested, expected, caller, retry_waiting);
        if (replaced) return PutEndpointResult{*std::move(replaced), {}, false};
        const bool is_absent = std::holds_alternative<NotFound>(replaced.error());
        if (!is_absent || expected) return replaced.error();

        auto made = create_.run(requested, caller);
        if (made) {
            return PutEndpointResult{std::move(made->endpoint), std::move(made->secret), true};
        }
        const bool is_taken = std::holds_alternative<DuplicateExternalId>(made.error());
        if (!is_taken || turn == put_turns) return made.error();
    }
}

}  // namespace sundial
