#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/api_key_repository.hpp"

namespace sundial::sqlite {

class SqliteApiKeyRepository final : public ApiKeyRepository {
public:
    explicit SqliteApiKeyRepository(Session& session) : connection_{session.connection} {}
    void add(const ApiKey& key) override;
    std::vector<ApiKey> lock_all() override;
    void remove(ApiKeyId id) override;
    std::vector<ApiKey> all() override;
    Page<ApiKey> list(const PageRequest& page) override;
    void note_use(ApiKeyId id, Instant at) override;

private:
    Connection& connection_;
};

}  // namespace sundial::sqlite
