#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/api_key_repository.hpp"

namespace sundial::memory {

class MemoryApiKeyRepository final : public ApiKeyRepository {
public:
    explicit MemoryApiKeyRepository(State& state) : keys_{state.api_keys} {}
    void add(const ApiKey& key) override;
    std::vector<ApiKey> lock_all() override;
    void remove(ApiKeyId id) override;
    std::vector<ApiKey> all() override;
    Page<ApiKey> list(const PageRequest& page) override;
    void note_use(ApiKeyId id, Instant at) override;

private:
    Table<ApiKeyId, ApiKey>& keys_;
};

}  // namespace sundial::memory
