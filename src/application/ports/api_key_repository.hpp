#pragma once

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
    /// Every key. Until this transaction ends, other transactions wait in this call, so a rule
    /// about all keys still holds at the commit. Call it before adding or removing a key.
    virtual std::vector<ApiKey> lock_all() = 0;
    /// Removes a locked key.
    virtual void remove(ApiKeyId id) = 0;
    /// Every key, for checking the keys of requests.
    virtual std::vector<ApiKey> all() = 0;
    /// By createdAt.
    virtual Page<ApiKey> list(const PageRequest& page) = 0;
    /// Records the use of a key without changing its version. Ignores a key that no longer exists.
    virtual void note_use(ApiKeyId id, Instant at) = 0;
};

}  // namespace sundial
