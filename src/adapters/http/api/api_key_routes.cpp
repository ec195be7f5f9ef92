#include "adapters/http/api/api_key_routes.hpp"

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/api_key_codec.hpp"
#include "adapters/http/api/caller_of.hpp"
#include "adapters/http/api/paging.hpp"
#include "application/transactions/after_commit.hpp"

namespace sundial::http {
namespace {

Response list(const ApiKeyApi& api, const Request& request) {
    const auto page = page_request(request, SortValue::number);
    if (!page) return refused(page.error(), request);
    const auto keys = api.queries.api_keys(*page);
    base::JsonWriter json;
    begin_page(json);
    PageKey last{};
    for (const ApiKey& key : keys.items) {
        json.raw(api_key_json(key));
        last = {std::to_string(key.created_at.time_since_epoch().count()), key.id.value};
    }
    return end_page(std::move(json), request, keys.has_more, last);
}

Response create(const ApiKeyApi& api, const Request& request) {
    const auto wanted = new_api_key(*request.json);
    if (!wanted) return refused(wanted.error(), request);
    const auto made = api.access.create.run(*wanted, caller_of(request));
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
