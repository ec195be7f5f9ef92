#include "application/endpoints/edit_endpoint.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>
#include <variant>

#include "application/audit/action_audit.hpp"
#include "application/audit/recorded_changes.hpp"
#include "application/endpoints/endpoint_headers.hpp"
#include "application/observation/engine_log.hpp"
#include "application/ports/failures.hpp"
#include "application/requests/queries.hpp"
#include "application/transactions/after_commit.hpp"

namespace sundial {
namespace {

std::optional<RateLimit> edited(const std::optional<RateLimit>& before,
                                const std::optional<RateLimitEdit>& edit) {
    if (!edit) return std::nullopt;
    RateLimit rate = before.value_or(RateLimit{0, edit->per_second.value_or(0)});
    rate.per_second = edit->per_second.value_or(rate.per_second);
    rate.burst = edit->burst.value_or(rate.burst);
    return rate;
}

Endpoint edited(Endpoint endpoint, const EndpointEdit& edit) {
    if (edit.external_id) endpoint.external_id = *edit.external_id;
    if (edit.name) endpoint.name = *edit.name;
    if (edit.url) endpoint.url = *edit.url;
    endpoint.options = edited(std::move(endpoint.options), edit.options);
    if (edit.timeout) endpoint.timeout = *edit.timeout;
    if (edit.retry_policy) endpoint.retry_policy = *edit.retry_policy;
    if (edit.retry_client_errors) endpoint.retry_client_errors = *edit.retry_client_errors;
    if (edit.rate_limit) endpoint.rate_limit = edited(endpoint.rate_limit, *edit.rate_limit);
    if (edit.max_in_flight) endpoint.max_in_flight = *edit.max_in_flight;
    if (edit.enabled && *edit.enabled != endpoint.enabled) {
        endpoint.enabled = *edit.enabled;
        endpoint.disabled_reason =
            endpoint.enabled ? std::nullopt : std::optional<std::string>{"disabled by an edit"};
    }
    return endpoint;
}

/// Adds or removes the pair of keys, if that changes anything. A type that does not sign refuses
/// the setting itself.
EndpointResult<Endpoint> with_ed25519(Endpoint endpoint, std::optional<bool> requested,
                                      const EndpointKind& kind, Secrets& secrets) {
    if (!requested || *requested == !endpoint.public_key.empty()) return endpoint;
    if (!*requested) {
        std::erase_if(endpoint.signing_keys,
                      [](const SigningKey& key) { return key.scheme == SignatureScheme::v1a; });
        endpoint.public_key.clear();
        return endpoint;
    }
    if (!kind.signs()) return endpoint;
    auto pair = secrets.new_key_pair();
    if (!pair) return pair.error();
    endpoint.signing_keys.insert(
        endpoint.signing_keys.begin(),
        {.scheme = SignatureScheme::v1a, .sealed = std::move(pair->sealed)});
    endpoint.public_key = std::move(pair->public_key);
    return endpoint;
}

TypeSettings type_settings(const Endpoint& after, const EndpointEdit& edit) {
    TypeSettings given{.url = edit.url,
                       .headers = !after.headers.empty(),
                       .secret = edit.secret.has_value(),
                       .ed25519 = edit.ed25519.value_or(false)};
    for (const auto& [name, value] : edit.options.members) {
        if (value) given.options[name] = *value;
    }
    return given;
}

/// The edit that replaces all settings.
EndpointEdit replacing(const Endpoint& before, const NewEndpoint& requested) {
    EndpointEdit edit;
    edit.name = requested.name;
    edit.type = requested.type;
    edit.format = requested.format;
    edit.url = requested.url;
    edit.options.clear = true;
    for (const auto& [name, value] : requested.options)
        edit.options.members.emplace_back(name, value);
    for (const EndpointHeader& header : before.headers) {
        const auto is_it = [&](const HeaderText& given) { return given.first == header.name; };
        if (std::ranges::none_of(requested.headers, is_it)) {
            edit.headers.members.emplace_back(header.name, std::nullopt);
        }
    }
    for (const auto& [name, value] : requested.headers)
        edit.headers.members.emplace_back(name, value);
    edit.timeout = requested.timeout;
    edit.retry_policy = requested.retry_policy;
    edit.retry_client_errors = requested.retry_client_errors;
    edit.rate_limit = std::optional<RateLimitEdit>{};
    if (requested.rate_limit) {
        edit.rate_limit =
            RateLimitEdit{requested.rate_limit->per_second, requested.rate_limit->burst};
    }
    edit.max_in_flight = requested.max_in_flight;
    edit.enabled = requested.enabled;
    edit.secret = requested.secret;
    edit.ed25519 = requested.ed25519;
    return edit;
}

/// Whether `given` is the secret that signs.
bool is_current(const std::string& given, const Endpoint& endpoint, Secrets& secrets) {
    const auto sealed = secrets.seal(given);
    const auto current =
        std::ranges::find(endpoint.signing_keys, SignatureScheme::v1, &SigningKey::scheme);
    if (!sealed || current == endpoint.signing_keys.end()) return false;
    try {
        return secrets.open(sealed->sealed) == secrets.open(current->sealed);
    } catch (const Corrupt&) {  // it was sealed under a key that this server no longer has
        return false;
    }
}

/// The settings that an edit may repeat but not change.
void add_fixed_defects(const Endpoint& before, const EndpointEdit& edit, const EndpointKind& kind,
                       Secrets& secrets, std::vector<FieldError>& found) {
    if (edit.type && *edit.type != before.type) {
        found.push_back({"/type", "not_allowed",
                         "an endpoint's type never changes; it is " + before.type.value +
                             ": create another endpoint"});
    }
    if (edit.format && *edit.format != before.format) {
        found.push_back({"/format", "not_allowed",
                         "an endpoint's format never changes; it is " +
                             std::string{to_string(before.format)} + ": create another endpoint"});
    }
    if (edit.secret && kind.takes_secret() && !is_current(*edit.secret, before, secrets)) {
        found.push_back(
            {"/secret", "not_allowed",
             before.signing_keys.empty()
                 ? "the endpoint has no secret; POST …/rotate-secret gives it one"
                 : "the endpoint has another secret; POST …/rotate-secret replaces it"});
    }
}

/// The new origin of the URL, if it changes and is allowed.
std::optional<std::string> moved_to(const Endpoint& before, const EndpointEdit& edit,
                                    const EndpointKind& kind) {
    if (!edit.url || !kind.refuse_edit({.url = edit.url}).empty()) return std::nullopt;
    std::string origin = kind.origin(*edit.url);
    if (origin == kind.origin(before.url)) return std::nullopt;
    return origin;
}

/// The URL is checked only if the edit gives it: a URL that older rules accepted may stay while
/// other settings change.
void add_defects(const Endpoint& before, const Endpoint& after, const EndpointEdit& edit,
                 const NewEndpoint* whole, const EndpointKind& kind, std::chrono::seconds lease,
                 std::vector<FieldError>& found) {
    std::ranges::move(defects(after, lease), std::back_inserter(found));
    const bool new_rate = edit.rate_limit && *edit.rate_limit && !before.rate_limit;
    if (new_rate && !(*edit.rate_limit)->per_second) {
        std::erase_if(
            found, [](const FieldError& error) { return error.pointer.starts_with("/rateLimit"); });
        found.push_back({"/rateLimit/perSecond", "required", "a rate needs a number per second"});
    }
    // `kind` says nothing about the other settings of another type.
    if (whole && edit.type != before.type) return;
    const TypeSettings given = whole ? type_settings(*whole) : type_settings(after, edit);
    std::ranges::move(refuse_foreign_options(kind, given), std::back_inserter(found));
    std::ranges::move(whole ? kind.refuse_new(given) : kind.refuse_edit(given),
                      std::back_inserter(found));
    if (!found.empty()) return;
    // Settings that older rules accepted may stay while others change.
    if (after.url != before.url || after.options != before.options) {
        found = kind.refuse_whole(after);
    }
}

/// Returns whether the circuit was open or half-open.
bool close_circuit(Transaction& tx, EndpointId endpoint) {
    const Circuit circuit = tx.circuits().lock(endpoint);
    tx.circuits().put(closed(circuit));
    return circuit.state != CircuitState::closed;
}

}  // namespace

EndpointResult<Endpoint> EditEndpoint::run(std::string_view reference, const EndpointEdit& edit,
                                           std::optional<Version> expected, const Caller& caller) {
    return change(reference, [&](const Endpoint&) { return edit; }, nullptr, expected, caller);
}

EndpointResult<Endpoint> EditEndpoint::replace(std::string_view reference,
                                               const NewEndpoint& requested,
                                               std::optional<Version> expected,
                                               const Caller& caller, bool retry_waiting) {
    const auto make_edit = [&](const Endpoint& before) {
        EndpointEdit edit = replacing(before, requested);
        edit.retry_waiting = retry_waiting;
        return edit;
    };
    return change(reference, make_edit, &requested, expected, caller);
}

EndpointResult<Endpoint> EditEndpoint::change(std::string_view reference, const MakeEdit& make_edit,
                                              const NewEndpoint* whole,
                                              std::optional<Version> expected,
                                              const Caller& caller) {
    EndpointEdit edit;
    bool enabled_now = false, closed_now = false;
    auto result = in_transaction(store_, [&](Transaction& tx) -> EndpointResult<Endpoint> {
        const auto id = endpoint_id(tx, reference);
        if (!id) return id.error();
        const auto before = tx.endpoints().lock(*id);
        if (!before) return NotFound{Noun::endpoint, std::string{reference}};
        if (auto refused = refuse_version(Noun::endpoint, reference, expected, before->version)) {
            return *refused;
        }
        const auto its_kind = kinds_.of(*before);
        if (!its_kind) return its_kind.error();
        const EndpointKind& kind = **its_kind;
        edit = make_edit(*before);
        auto with_keys = with_ed25519(*before, edit.ed25519, kind, secrets_);
        if (!with_keys) return with_keys.error();
        Endpoint after = edited(*std::move(with_keys), edit);
        std::vector<FieldError> found;
        after.headers = edited_headers(before->headers, edit.headers, moved_to(*before, edit, kind),
                                       secrets_, found);
        add_fixed_defects(*before, edit, kind, secrets_, found);
        add_defects(*before, after, edit, whole, kind, lease_, found);
        if (!found.empty()) return ValidationFailed{std::move(found)};
        enabled_now = after.enabled && !before->enabled;
        closed_now = (edit.close_circuit || enabled_now) && close_circuit(tx, *id);
        if (edit.close_circuit && closed_now)
            record_on_endpoint(tx, *id, EndpointAction::close_circuit, {caller, ids_.fresh()});
        if (edit.retry_waiting)
            record_on_endpoint(tx, *id, EndpointAction::retry_waiting, {caller, ids_.fresh()});
        if (after == *before) return after;

        after.version = base::next(before->version);
        after.updated_at = tx.now();
        if (auto updated = tx.endpoints().update(after); !updated) return updated.error();
        tx.record(endpoint_updated(*before, after, {ids_.fresh(), caller}));
        return after;
    });
    if (!result) return result;
    const bool enabled = edit.enabled.value_or(false);
    const bool retry = edit.retry_waiting;
    after_commit([=, this, id = result->id] {
        if (closed_now) {
            log_.write(circuit_closed_line(
                id, enabled_now ? "its endpoint was enabled" : "closed by hand"));
        }
        release_waiting(id, [&] {
            // Also if it was enabled before, because the caller that enabled it may have failed at
            // this point.
            if (enabled) unpark_.run(id);
            if (closed_now) unpark_.expedite(id, WaitReason::circuit);
            if (retry) unpark_.expedite(id, WaitReason::retry);
        });
    });
    return result;
}

/// The edit is committed, so a failure here is logged and not returned.
void EditEndpoint::release_waiting(EndpointId endpoint, const std::function<void()>& release) {
    try {
        release();
    } catch (const std::exception& error) {
        log_.write({.level = base::LogLevel::warn,
                    .event_name = {},
                    .message = "events that wait for endpoint " + to_string(endpoint) +
                               " are released later: " + error.what(),
                    .correlation_id = {},
                    .fields = {}});
    }
}

}  // namespace sundial
