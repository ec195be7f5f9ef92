#include "application/ports/api_key_repository.hpp"

#include <memory>

#include "adapters/sqlite/api_key_sql.hpp"
#include "adapters/sqlite/paging.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "base/check.hpp"

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
