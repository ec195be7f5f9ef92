#include "application/ports/api_key_repository.hpp"

#include <memory>

#include "adapters/postgres/api_key_sql.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/paging.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

class PostgresApiKeyRepository final : public ApiKeyRepository {
public:
    explicit PostgresApiKeyRepository(Session& session) : session_{session} {}

    void add(const ApiKey& key) override {
        const auto added = session_.run(sql::add_api_key, key.id, key.name, to_string(key.role),
                                        Bytes{key.secret_hash}, key.expires_at, key.last_used_at,
                                        key.version, key.created_at);
        base::check(added.changed() == 1);
    }

    std::vector<ApiKey> lock_all() override {
        session_.run(sql::lock_api_keys);  // first: the next statement sees what others committed
        return all();
    }
    void remove(ApiKeyId id) override {
        base::check(session_.run(sql::remove_api_key, id).changed() == 1);
    }
    std::vector<ApiKey> all() override { return api_keys_in(session_.run(sql::all_api_keys)); }

    Page<ApiKey> list(const PageRequest& page) override {
        const Statement& statement =
            page.descending ? sql::api_keys_by_creation_down : sql::api_keys_by_creation;
        return page_in(
            api_keys_in(session_.run(statement, last_id(page), last_instant(page), rows_for(page))),
            page);
    }

    void note_use(ApiKeyId id, Instant at) override {
        session_.run(sql::note_use_of_api_key, id, at);
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<ApiKeyRepository> make_api_key_repository(Session& session) {
    return std::make_unique<PostgresApiKeyRepository>(session);
}

}  // namespace sundial::postgres
