#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/client/json_view.hpp"
#include "adapters/client/wire.hpp"
#include "base/json.hpp"
#include "sundial/remote.hpp"

namespace sundial {
namespace {

using client::JsonView;

using RetryDelays = std::vector<std::chrono::seconds>;

constexpr int created_status = 201;

std::string_view type_text(EndpointType type) {
    switch (type) {
        case EndpointType::webhook:
            return "WEBHOOK";
        case EndpointType::inbox:
            return "INBOX";
        case EndpointType::pull:
            break;
    }
    return "PULL";
}

void add_delays(base::JsonWriter& json, const RetryDelays& delays) {
    json.key("retryPolicy");
    if (delays.empty()) {
        json.value("standard");
        return;
    }
    json.begin_object().key("delays").begin_array();
    for (const std::chrono::seconds delay : delays) json.value(client::to_iso_duration(delay));
    json.end_array().end_object();
}

void add_rate(base::JsonWriter& json, std::uint32_t per_second) {
    json.key("rateLimit").begin_object();
    json.member("perSecond", per_second).member("burst", per_second).end_object();
}

std::string endpoint_body(const NewEndpoint& endpoint) {
    base::JsonWriter json;
    json.begin_object();
    json.member("name", std::string_view{endpoint.name}).member("type", type_text(endpoint.type));
    client::add_text(json, "url", endpoint.url);
    if (!endpoint.headers.empty()) {
        json.key("headers").begin_object();
        for (const auto& [name, value] : endpoint.headers) {
            json.member(name, std::string_view{value});
        }
        json.end_object();
    }
    json.member("timeout", client::to_iso_duration(endpoint.timeout));
    if (!endpoint.retry_delays.empty()) add_delays(json, endpoint.retry_delays);
    if (endpoint.max_in_flight) json.member("maxInFlight", *endpoint.max_in_flight);
    if (endpoint.max_per_second) add_rate(json, *endpoint.max_per_second);
    json.member("enabled", endpoint.enabled);
    client::add_text(json, "secret", endpoint.secret);
    if (endpoint.ed25519) json.member("ed25519", true);
    json.end_object();
    return json.text();
}

std::string endpoint_body(const EndpointChange& change) {
    base::JsonWriter json;
    json.begin_object();
    if (change.url) json.member("url", std::string_view{*change.url});
    if (!change.headers.empty()) {
        json.key("headers").begin_object();
        for (const auto& [name, value] : change.headers) client::add_or_null(json, name, value);
        json.end_object();
    }
    if (change.timeout) json.member("timeout", client::to_iso_duration(*change.timeout));
    if (change.retry_delays) add_delays(json, *change.retry_delays);
    if (change.max_in_flight) {
        const bool limited = *change.max_in_flight > 0;
        json.member("maxInFlight", limited ? change.max_in_flight : std::nullopt);
    }
    if (change.max_per_second && *change.max_per_second > 0) {
        add_rate(json, *change.max_per_second);
    } else if (change.max_per_second) {
        json.key("rateLimit").null();
    }
    if (change.enabled) json.member("enabled", *change.enabled);
    if (change.ed25519) json.member("ed25519", *change.ed25519);
    json.end_object();
    return json.text();
}

RetryDelays delays_from(const JsonView& endpoint) {
    using namespace std::chrono_literals;
    const auto policy = endpoint.member("retryPolicy");
    if (!policy) return {};
    if (policy->text() == "seed") return {1s, 2s, 4s};
    if (policy->text()) return {1s, 2s, 4s, 30s, 5min, 30min, 2h, 5h, 10h, 24h};
    RetryDelays delays;
    if (const auto given = policy->member("delays")) {
        given->for_each([&](const JsonView& one) {
            delays.push_back(client::from_iso_duration(one.text().value_or("")).value_or(0s));
        });
    }
    return delays;
}

std::optional<std::uint32_t> limit_of(const std::optional<JsonView>& object,
                                      std::string_view name) {
    if (!object || !object->member(name)) return std::nullopt;
    return static_cast<std::uint32_t>(object->number_of(name));
}

Endpoint endpoint_from(const JsonView& json) {
    Endpoint endpoint{.id = json.text_of("id"),
                      .name = json.text_of("externalId"),
                      .type = json.text_of("type"),
                      .url = json.text_of("url"),
                      .enabled = json.is_true("enabled"),
                      .disabled_reason = json.text_of("disabledReason"),
                      .secret_hint = json.text_of("secretHint"),
                      .version = json.number_of("version")};
    for (const auto& [name, hint] : client::texts_of(json, "headers")) {
        endpoint.headers.push_back(name);
    }
    endpoint.timeout =
        client::from_iso_duration(json.text_of("timeout")).value_or(std::chrono::seconds{0});
    endpoint.retry_delays = delays_from(json);
    endpoint.max_in_flight = limit_of(json, "maxInFlight");
    endpoint.max_per_second = limit_of(json.member("rateLimit"), "perSecond");
    endpoint.public_key = json.text_of("publicKey");
    return endpoint;
}

Result<JsonView> endpoint_in(const Result<ClientAnswer>& answer, const std::string& endpoint) {
    const auto json = client::object_of(answer);
    if (!json) return client::completed(json.error(), {.id = endpoint, .endpoint = endpoint});
    if (json->text_of("id").empty()) {
        return Error{"HTTP_ERROR", "the server's answer is not an endpoint", {}};
    }
    return *json;
}

std::string path_of_endpoint(const std::string& endpoint) {
    return "/v1/endpoints/" + client::encoded(endpoint);
}

}  // namespace

Result<StoredEndpoint> RemoteEndpoints::put(const NewEndpoint& endpoint,
                                            std::uint64_t version) const {
    if (endpoint.name.empty()) return client::refused_field("name", "is required");
    const auto answer = client_.call({.method = "PUT",
                                      .path = path_of_endpoint("ext:" + endpoint.name),
                                      .body = endpoint_body(endpoint),
                                      .if_match = client::if_match_of(version)});
    const auto json = endpoint_in(answer, endpoint.name);
    if (!json) return json.error();
    return StoredEndpoint{.endpoint = endpoint_from(*json),
                          .secret = json->text_of("secret"),
                          .created = answer->status == created_status};
}

Result<Endpoint> RemoteEndpoints::get(const std::string& endpoint) const {
    const auto answer = client_.call({.path = path_of_endpoint(endpoint)});
    const auto json = endpoint_in(answer, endpoint);
    if (!json) return json.error();
    return endpoint_from(*json);
}

Result<EndpointPage> RemoteEndpoints::list(const EndpointFilter& filter,
                                           const PageOptions& page) const {
    client::QueryText query;
    query.add("type", filter.type).add("q", filter.prefix);
    if (filter.enabled) query.add("enabled", *filter.enabled ? "true" : "false");
    query.add_page(page, "createdAt");
    const auto answer = client_.call({.path = "/v1/endpoints" + query.text()});
    const auto list = client::page_of(answer, {});
    if (!list) return list.error();
    EndpointPage found{.endpoints = {}, .next = list->next};
    list->items.for_each(
        [&](const JsonView& one) { found.endpoints.push_back(endpoint_from(one)); });
    return found;
}

Result<Endpoint> RemoteEndpoints::update(const std::string& endpoint,
                                         const EndpointChange& change) const {
    const std::string query = change.retry_waiting ? "?retryWaiting=true" : "";
    const auto answer = client_.call(
        {.method = "PATCH",
         .path = path_of_endpoint(endpoint) + query,
         .body = endpoint_body(change),
         .if_match = change.if_version ? '"' + std::to_string(*change.if_version) + '"' : ""});
    const auto json = endpoint_in(answer, endpoint);
    if (!json) return json.error();
    return endpoint_from(*json);
}

Result<Done> RemoteEndpoints::remove(const std::string& endpoint, std::uint64_t version) const {
    const auto answer = client_.call({.method = "DELETE",
                                      .path = path_of_endpoint(endpoint),
                                      .if_match = client::if_match_of(version)});
    if (!answer) return client::completed(answer.error(), {.id = endpoint, .endpoint = endpoint});
    return Done{};
}

}  // namespace sundial
