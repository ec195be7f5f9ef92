#include "adapters/sqlite/api_key_repository.hpp"

#include "adapters/sqlite/api_key_statements.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/rows.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {

void SqliteApiKeyRepository::add(const ApiKey& key) {
    const auto rows =
        connection_.execute(sql::add_api_key, key.id, key.name, key.role, Bytes{key.secret_hash},
                            key.expires_at, key.last_used_at, key.version, key.created_at);
    base::check(rows == 1);
}

/// Transactions that write run one at a time.
std::vector<ApiKey> SqliteApiKeyRepository::lock_all() { return all(); }

void SqliteApiKeyRepository::remove(ApiKeyId id) {
    base::check(connection_.execute(sql::remove_api_key, id) == 1);
}

std::vector<ApiKey> SqliteApiKeyRepository::all() {
    return all_of(connection_.query(sql::api_keys), read_api_key);
}

Page<ApiKey> SqliteApiKeyRepository::list(const PageRequest& page) {
    const Statement& statement =
        page.descending ? sql::api_keys_by_creation_down : sql::api_keys_by_creation;
    return page_of(
        all_of(connection_.query(statement, id_after(page), number_after(page), limit_of(page)),
               read_api_key),
        page);
}

void SqliteApiKeyRepository::note_use(ApiKeyId id, Instant at) {
    connection_.execute(sql::note_use_of_api_key, id, at);
}

}  // namespace sundial::sqlite
