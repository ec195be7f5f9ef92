#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

std::optional<std::chrono::seconds> duration_at(const std::optional<std::string>& text,
                                                const std::string& pointer,
                                                std::vector<FieldError>& errors) {
    if (!text) return std::nullopt;
    const auto duration = parse_duration(*text);
    if (duration) return *duration;
    errors.push_back({pointer, "bad_format", duration.error().message});
    return std::nullopt;
}

std::optional<RetryPolicy> retry_policy_in(const Members& members,
                                           std::vector<FieldError>& errors) {
    if (!members.has("retryPolicy")) return std::nullopt;
    if (members.is_text("retryPolicy")) {
        const bool seed = members.text("retryPolicy") == "seed";
        return RetryPolicy{.kind = seed ? RetryPolicy::Kind::seed : RetryPolicy::Kind::standard};
    }
    RetryPolicy policy{.kind = RetryPolicy::Kind::custom};
    const auto delays = members.object("retryPolicy")->list("delays");
    for (std::size_t i = 0; i < delays.size(); ++i) {
        const auto delay =
            duration_at(delays[i], "/retryPolicy/delays/" + std::to_string(i), errors);
        if (delay) policy.custom.push_back(*delay);
    }
    return policy;
}

void write_retry_policy(base::JsonWriter& json, const RetryPolicy& policy) {
    json.key("retryPolicy");
    if (policy.kind != RetryPolicy::Kind::custom) {
        json.value(policy.kind == RetryPolicy::Kind::seed ? "seed" : "standard");
        return;
    }
    json.begin_object().key("delays").begin_array();
    for (const std::chrono::seconds delay : policy.custom) json.value(format_duration(delay));
    json.end_array().end_object();
}

std::optional<RateLimit> rate_limit_in(const Members& members) {
    const auto rate = members.object("rateLimit");
    if (!rate) return std::nullopt;
    const std::uint32_t per_second = rate->count("perSecond").value_or(0);
    return RateLimit{per_second, rate->count("burst").value_or(per_second)};
}

Edit<RateLimitEdit> rate_limit_edit_in(const Members& members) {
    if (!members.has("rateLimit")) return std::nullopt;
    const auto rate = members.object("rateLimit");
    if (!rate) return std::optional<RateLimitEdit>{};
    return std::optional{RateLimitEdit{rate->count("perSecond"), rate->count("burst")}};
}

void write_limits(base::JsonWriter& json, const Endpoint& endpoint) {
    json.key("rateLimit");
    if (endpoint.rate_limit) {
        json.begin_object()
            .member("perSecond", endpoint.rate_limit->per_second)
            .member("burst", endpoint.rate_limit->burst)
            .end_object();
    } else {
        json.null();
    }
    json.member("maxInFlight", endpoint.max_in_flight);
}

void write_circuit(base::JsonWriter& json, const CircuitShown& shown) {
    const Circuit& circuit = shown.circuit;
    const bool is_open = circuit.state == CircuitState::open;
    json.key("circuit")
        .begin_object()
        .member("state", to_string(circuit.state))
        .member("failureRatio", failure_ratio(circuit, shown.now, shown.policy))
        .member("openedAt", format_instant_millis(circuit.opened_at))
        .member("probeAt",
                format_instant_millis(is_open ? std::optional{circuit.probe_at} : std::nullopt))
        .end_object();
}

std::optional<std::string> if_any(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

Result<NewEndpoint> new_endpoint(const JsonBody& body, std::chrono::seconds default_timeout,
                                 std::span<const std::string> options) {
    const Members members(body);
    std::vector<FieldError> errors;
    NewEndpoint endpoint{.type = EndpointType{members.text("type").value_or("")}};
    endpoint.external_id = members.text("externalId");
    endpoint.name = members.text("name").value_or("");
    endpoint.url = members.text("url");
    endpoint.format =
        parse_body_format(members.text("format").value_or("")).value_or(BodyFormat::raw);
    for (const std::string& name : options) {
        if (auto value = members.text(name)) endpoint.options.emplace(name, *std::move(value));
    }
    for (auto& [name, value] : members.texts("headers")) endpoint.headers.emplace_back(name, value);
    endpoint.timeout =
        duration_at(members.text("timeout"), "/timeout", errors).value_or(default_timeout);
    endpoint.retry_policy = retry_policy_in(members, errors).value_or(RetryPolicy{});
    endpoint.retry_client_errors = members.count("retryClientErrors").value_or(0);
    endpoint.rate_limit = rate_limit_in(members);
    endpoint.max_in_flight = members.count("maxInFlight");
    endpoint.enabled = members.truth("enabled").value_or(true);
    endpoint.secret = members.text("secret");
    endpoint.ed25519 = members.truth("ed25519").value_or(false);
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    return endpoint;
}

Result<EndpointEdit> endpoint_edit(const JsonBody& body, std::span<const std::string> options) {
    const Members members(body);
    std::vector<FieldError> errors;
    EndpointEdit edit;
    edit.external_id = members.edit("externalId");
    edit.name = members.text("name");
    if (const auto type = members.text("type")) edit.type = EndpointType{*type};
    if (const auto format = members.text("format")) edit.format = parse_body_format(*format);
    edit.secret = members.text("secret");
    edit.url = members.text("url");
    for (const std::string& name : options) {
        if (auto value = members.edit(name)) {
            edit.options.members.emplace_back(name, *std::move(value));
        }
    }
    edit.headers = members.texts_edit("headers");
    edit.timeout = duration_at(members.text("timeout"), "/timeout", errors);
    edit.retry_policy = retry_policy_in(members, errors);
    edit.retry_client_errors = members.count("retryClientErrors");
    edit.rate_limit = rate_limit_edit_in(members);
    edit.max_in_flight = members.count_edit("maxInFlight");
    edit.close_circuit = members.has("circuit");  // the only valid value is closed
    edit.enabled = members.truth("enabled");
    edit.ed25519 = members.truth("ed25519");
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    return edit;
}

Result<Rotation> rotation(const JsonBody& body) {
    const Members members(body);
    std::vector<FieldError> errors;
    Rotation rotation;
    rotation.secret = members.text("secret");
    rotation.old_signs_for = duration_at(members.text("oldSignsFor"), "/oldSignsFor", errors)
                                 .value_or(rotation.old_signs_for);
    if (!errors.empty()) return ValidationFailed{std::move(errors)};
    return rotation;
}

std::string endpoint_json(const Endpoint& endpoint, const CircuitShown& circuit,
                          const std::string& secret) {
    base::JsonWriter json;
    json.begin_object()
        .member("id", to_string(endpoint.id))
        .member("externalId", endpoint.external_id);
    json.member("name", endpoint.name)
        .member("type", to_string(endpoint.type))
        .member("url", if_any(endpoint.url));
    for (const auto& [name, value] : endpoint.options) json.member(name, value);
    json.member("format", to_string(endpoint.format)).key("headers").begin_object();
    for (const EndpointHeader& header : endpoint.headers) {
        json.member(header.name, header.hint.empty() ? header_hint("") : header.hint);
    }
    json.end_object().member("timeout", format_duration(endpoint.timeout));
    write_retry_policy(json, endpoint.retry_policy);
    json.member("retryClientErrors", endpoint.retry_client_errors);
    write_limits(json, endpoint);
    json.member("enabled", endpoint.enabled);
    json.member("disabledReason", endpoint.disabled_reason);
    write_circuit(json, circuit);
    json.member("secretHint", if_any(endpoint.secret_hint))
        .member("ed25519", !endpoint.public_key.empty())
        .member("publicKey", if_any(endpoint.public_key));
    if (!secret.empty()) json.member("secret", secret);
    json.member("version", endpoint.version.value);
    json.member("createdAt", format_instant_millis(endpoint.created_at));
    json.member("updatedAt", format_instant_millis(endpoint.updated_at));
    return std::move(json.end_object()).text();
}

std::string test_json(const TestDelivery& test) {
    const Outcome& outcome = test.outcome;
    const AttemptOutcome kind = outcome.verdict == Verdict::accepted    ? AttemptOutcome::succeeded
                                : outcome.verdict == Verdict::retryable ? AttemptOutcome::retryable
                                                                        : AttemptOutcome::permanent;
    base::JsonWriter json;
    json.begin_object()
        .member("outcome", to_string(kind))
        .member("statusCode", outcome.status_code);
    json.member("durationMs",
                std::chrono::ceil<std::chrono::milliseconds>(outcome.duration).count())
        .key("error");
    if (outcome.error) {
        json.begin_object()
            .member("code", to_string(*outcome.error))
            .member("text", outcome.error_text)
            .end_object();
    } else {
        json.null();
    }
    json.key("response").begin_object().member("body", outcome.response_body).end_object();
    return std::move(json.end_object()).text();
}

namespace {

void write_signature(base::JsonWriter& json, const SignatureCheck& check) {
    std::optional<std::int64_t> age;
    if (check.age) age = check.age->count();
    json.begin_object()
        .member("state", to_string(check.state))
        .member("secret", secret_of(check))
        .member("ageMs", age)
        .end_object();
}

}  // namespace

std::string inbox_json(const CheckedRequest& request) {
    const auto& [received, signature] = request;
    base::JsonWriter json;
    json.begin_object()
        .member("receivedAt", format_instant_millis(received.received_at))
        .key("headers")
        .begin_object();
    for (const auto& [name, value] : received.headers) json.member(name, value);
    json.end_object().member("body", received.body).key("signature");
    write_signature(json, signature);
    return std::move(json.end_object()).text();
}

}  // namespace sundial::http
