#pragma once

#include <vector>

#include "application/ports/paging.hpp"
#include "domain/api_key.hpp"

namespace sundial {

/// API keys, inside one transaction. There are few of them: whoever creates them sees to that.
class ApiKeyRepository {
public:
    virtual ~ApiKeyRepository() = default;
    virtual void add(const ApiKey& key) = 0;
    /// Every key. Until this transaction ends, other transactions wait in this call, so a rule
    /// about all keys still holds at the commit. Call it before adding or removing a key.
    virtual std::vector<ApiKey> lock_all() = 0;
    /// Removes a locked key.
    virtual void remove(ApiKeyId id) = 0;
    /// Every key, for those who check what they are shown.
    virtual std::vector<ApiKey> all() = 0;
    /// By createdAt.
    virtual Page<ApiKey> list(const PageRequest& page) = 0;
    /// Notes that a key was used then; no change of its version. One that is gone is passed over.
    virtual void note_use(ApiKeyId id, Instant at) = 0;
};

}  // namespace sundial
