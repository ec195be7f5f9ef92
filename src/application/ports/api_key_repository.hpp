#pragma once

#include <optional>
#include <vector>

#include "application/ports/paging.hpp"
#include "domain/api_key.hpp"

namespace sundial {

/// API keys, inside one transaction. There are few of them: whoever creates them sees to that.
class ApiKeyRepository {
public:
    virtual ~ApiKeyRepository() = default;
    virtual void add(const ApiKey& key) = 0;
    virtual std::optional<ApiKey> lock(ApiKeyId id) = 0;
    /// Removes a locked key.
    virtual void remove(ApiKeyId id) = 0;
    /// Every one, for those who check what they are shown.
    virtual std::vector<ApiKey> all() = 0;
    /// By createdAt.
    virtual Page<ApiKey> list(const PageRequest& page) = 0;
    /// Notes that a key was used then; no change of its version. One that is gone is passed over.
    virtual void note_use(ApiKeyId id, Instant at) = 0;
};

}  // namespace sundial
