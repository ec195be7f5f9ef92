#include "application/ports/api_key_repository.hpp"

#include <memory>

#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"
#include "base/check.hpp"

#define SUNDIAL_API_KEY "id, name, role, secret_hash, expires_at, last_used_at, version, created_at"

/// SQL statements for API keys.
namespace sundial::sqlite::sql {

inline constexpr Statement add_api_key{"INSERT INTO api_keys (" SUNDIAL_API_KEY R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))sql"};
inline constexpr Statement remove_api_key{"DELETE FROM api_keys WHERE id = ?1"};
inline constexpr Statement api_keys{"SELECT " SUNDIAL_API_KEY " FROM api_keys ORDER BY id"};
/// ?2 time of use.
inline constexpr Statement note_use_of_api_key{
    "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1"};

/// ?1 id and ?2 creation time of the previous page's last row, ?3 limit.
#define SUNDIAL_LIST_API_KEYS(name, beyond, direction)                                  \
    inline constexpr Statement name{"SELECT " SUNDIAL_API_KEY                           \
                                    " FROM api_keys"                                    \
                                    " WHERE (?1 IS NULL OR (created_at, id) " beyond    \
                                    " (?2, ?1))"                                        \
                                    " ORDER BY created_at " direction ", id " direction \
                                    " LIMIT ?3"}
SUNDIAL_LIST_API_KEYS(api_keys_by_creation, ">", "ASC");
SUNDIAL_LIST_API_KEYS(api_keys_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_API_KEYS

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

class SqliteApiKeyRepository final : public ApiKeyRepository {
public:
    explicit SqliteApiKeyRepository(Session& session) : connection_{session.connection} {}

    void add(const ApiKey& key) override {
        const auto rows = connection_.execute(sql::add_api_key, key.id, key.name, key.role,
                                              Bytes{key.secret_hash}, key.expires_at,
                                              key.last_used_at, key.version, key.created_at);
        base::check(rows == 1);
    }

    /// Transactions that write run one at a time.
    std::vector<ApiKey> lock_all() override { return all(); }
    void remove(ApiKeyId id) override {
        base::check(connection_.execute(sql::remove_api_key, id) == 1);
    }
    std::vector<ApiKey> all() override {
        return all_of(connection_.query(sql::api_keys), read_api_key);
    }

    Page<ApiKey> list(const PageRequest& page) override {
        const Statement& statement =
            page.descending ? sql::api_keys_by_creation_down : sql::api_keys_by_creation;
        return page_of(
            all_of(connection_.query(statement, id_after(page), number_after(page), limit_of(page)),
                   read_api_key),
            page);
    }

    void note_use(ApiKeyId id, Instant at) override {
        connection_.execute(sql::note_use_of_api_key, id, at);
    }

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<ApiKeyRepository> make_api_key_repository(Session& session) {
    return std::make_unique<SqliteApiKeyRepository>(session);
}

}  // namespace sundial::sqlite
