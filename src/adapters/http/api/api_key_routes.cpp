#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/paging.hpp"
#include "adapters/http/api/routes.hpp"
#include "application/transactions/after_commit.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
Result<NewApiKey> new_api_key(const JsonBody& body) {
    const Members members(body);
    NewApiKey requested{.name = members.text("name").value_or(""),
                        .role = parse_role(members.text("role").value_or("")).value_or(Role::read)};
    if (const auto text = members.edit("expiresAt").value_or(std::nullopt)) {
        const auto instant = parse_instant(*text);
        if (!instant) return invalid("/expiresAt", "bad_format", instant.error().message);
        requested.expires_at = instant->instant;
    }
    return requested;
}

std::string api_key_json(const ApiKey& key, const std::string& text) {
    base::JsonWriter json;
    json.begin_object()
        .member("id", to_string(key.id))
        .member("name", key.name)
        .member("role", to_string(key.role));
    json.member("purpose", "API").member("prefix", "sundial_sk_" + handle_of(key.id));
    if (!text.empty()) json.member("key", text);
    json.member("expiresAt", format_instant_millis(key.expires_at));
    json.member("lastUsedAt", format_instant_millis(key.last_used_at));
    json.member("version", key.version.value);
    json.member("createdAt", format_instant_millis(key.created_at));
    return std::move(json.end_object()).text();
}

namespace {

Response list(const ApiKeyApi& api, const Request& request) {
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
    const auto keys = api.queries.api_keys(*page);
    return page_response(keys, request, [](auto& json, const ApiKey& key) {
        json.raw(api_key_json(key));
        return PageKey{std::to_string(key.created_at.time_since_epoch().count()), key.id.value};
    });
}

Response create(const ApiKeyApi& api, const Request& request) {
    const auto requested = new_api_key(*request.json);
    if (!requested) return refused(requested.error(), request);
    const auto made = api.access.create.run(*requested, caller_of(request));
    if (!made) return refused(made.error(), request);
    after_commit([&ring = api.access.keys] { ring.check_again(); });
    return showing_secret(json(201, api_key_json(made->key, made->text)));
}

Response revoke(const ApiKeyApi& api, const Request& request) {
    const auto done = api.access.revoke.run(request.path_value("id"), caller_of(request));
    if (!done) return refused(done.error(), request);
    after_commit([&ring = api.access.keys] { ring.check_again(); });
    return no_content();
}

}  // namespace

void add_api_key_routes(Router& router, ApiKeyApi api) {
    router.add("GET", "/v1/api-keys", [api](const Request& request) { return list(api, request); });
    router.add("POST", "/v1/api-keys",
               [api](const Request& request) { return create(api, request); });
    router.add("DELETE", "/v1/api-keys/{id}",
               [api](const Request& request) { return revoke(api, request); });
}

}  // namespace sundial::http
