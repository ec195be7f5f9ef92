#include "application/ports/api_key_repository.hpp"

#include <memory>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/table.hpp"

namespace sundial::memory {
namespace {

class MemoryApiKeyRepository final : public ApiKeyRepository {
public:
    explicit MemoryApiKeyRepository(State& state) : keys_{state.api_keys} {}
    void add(const ApiKey& key) override { keys_.insert(key.id, key); }
    /// Transactions run one at a time.
    std::vector<ApiKey> lock_all() override { return all(); }
    void remove(ApiKeyId id) override { keys_.erase(id); }

    std::vector<ApiKey> all() override {
        std::vector<ApiKey> keys;
        for (const auto& [id, key] : keys_.rows()) keys.push_back(key);
        return keys;
    }

    Page<ApiKey> list(const PageRequest& page) override {
        return page_of<std::int64_t>(
            all(), page, [](const ApiKey& key) { return microseconds_of(key.created_at); });
    }
    void note_use(ApiKeyId id, Instant at) override {
        if (keys_.find(id)) keys_.change(id, [at](ApiKey& key) { key.last_used_at = at; });
    }

private:
    Table<ApiKeyId, ApiKey>& keys_;
};

}  // namespace

std::unique_ptr<ApiKeyRepository> make_api_key_repository(Session& session) {
    return std::make_unique<MemoryApiKeyRepository>(session.state);
}

}  // namespace sundial::memory
