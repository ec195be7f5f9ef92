#include "adapters/memory/api_key_repository.hpp"

#include "adapters/memory/paging.hpp"

namespace sundial::memory {

void MemoryApiKeyRepository::add(const ApiKey& key) { keys_.insert(key.id, key); }

/// Transactions run one at a time.
std::vector<ApiKey> MemoryApiKeyRepository::lock_all() { return all(); }

void MemoryApiKeyRepository::remove(ApiKeyId id) { keys_.erase(id); }

std::vector<ApiKey> MemoryApiKeyRepository::all() {
    std::vector<ApiKey> keys;
    for (const auto& [id, key] : keys_.rows()) keys.push_back(key);
    return keys;
}

Page<ApiKey> MemoryApiKeyRepository::list(const PageRequest& page) {
    return page_of<std::int64_t>(all(), page,
                                 [](const ApiKey& key) { return microseconds_of(key.created_at); });
}

void MemoryApiKeyRepository::note_use(ApiKeyId id, Instant at) {
    if (keys_.find(id)) keys_.change(id, [at](ApiKey& key) { key.last_used_at = at; });
}

}  // namespace sundial::memory
