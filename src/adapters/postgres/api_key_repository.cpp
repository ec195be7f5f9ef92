#include "adapters/postgres/api_key_repository.hpp"

#include "adapters/postgres/api_key_statements.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/rows.hpp"
#include "base/check.hpp"

namespace sundial::postgres {

void PostgresApiKeyRepository::add(const ApiKey& key) {
    const auto added = session_.run(sql::add_api_key, key.id, key.name, to_string(key.role),
                                    Bytes{key.secret_hash}, key.expires_at, key.last_used_at,
                                    key.version, key.created_at);
    base::check(added.changed() == 1);
}

std::vector<ApiKey> PostgresApiKeyRepository::lock_all() {
    session_.run(sql::lock_api_keys);  // first: the next statement sees what others committed
    return all();
}

void PostgresApiKeyRepository::remove(ApiKeyId id) {
    base::check(session_.run(sql::remove_api_key, id).changed() == 1);
}

std::vector<ApiKey> PostgresApiKeyRepository::all() {
    return api_keys_in(session_.run(sql::all_api_keys));
}

Page<ApiKey> PostgresApiKeyRepository::list(const PageRequest& page) {
    const Statement& statement =
        page.descending ? sql::api_keys_by_creation_down : sql::api_keys_by_creation;
    return page_in(
        api_keys_in(session_.run(statement, last_id(page), last_instant(page), rows_for(page))),
        page);
}

void PostgresApiKeyRepository::note_use(ApiKeyId id, Instant at) {
    session_.run(sql::note_use_of_api_key, id, at);
}

}  // namespace sundial::postgres
