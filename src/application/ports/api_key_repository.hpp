#pragma once

#include <optional>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/api_key.hpp"

namespace sundial {

/// API keys, inside one transaction. There are few of them: the use case that creates keys limits
/// their number.
class ApiKeyRepository {
public:
    virtual ~ApiKeyRepository() = default;
    virtual void add(const ApiKey& key) = 0;
    virtual std::optional<ApiKey> lock(ApiKeyId id) = 0;
    /// Removes a locked key.
    virtual void remove(ApiKeyId id) = 0;
    /// All keys, for the check of presented keys.
    virtual std::vector<ApiKey> all() = 0;
    /// By createdAt.
    virtual Page<ApiKey> list(const PageRequest& page) = 0;
    /// Records the use of a key without changing its version. Ignores a key that no longer exists.
    virtual void note_use(ApiKeyId id, Instant at) = 0;
};

}  // namespace sundial
