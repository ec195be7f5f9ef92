#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/api_key_repository.hpp"

namespace sundial::postgres {

class PostgresApiKeyRepository final : public ApiKeyRepository {
public:
    explicit PostgresApiKeyRepository(Session& session) : session_{session} {}
    void add(const ApiKey& key) override;
    std::vector<ApiKey> lock_all() override;
    void remove(ApiKeyId id) override;
    std::vector<ApiKey> all() override;
    Page<ApiKey> list(const PageRequest& page) override;
    void note_use(ApiKeyId id, Instant at) override;

private:
    Session& session_;
};

}  // namespace sundial::postgres
