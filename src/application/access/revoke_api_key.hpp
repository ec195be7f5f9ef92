#pragma once

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Removes a key. Every ApiKeyRing refuses it within seconds.
class RevokeApiKey {
public:
    /// `fixed_roles`: of keys that are in no database, as of now.
    RevokeApiKey(Store& store, Ids& ids, std::function<std::vector<Role>()> fixed_roles)
        : store_(store), ids_(ids), fixed_roles_(std::move(fixed_roles)) {}
    /// By its id or its ten characters. Errors: NotFound, LastAdminKey.
    [[nodiscard]] Result<void> run(std::string_view reference, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
    std::function<std::vector<Role>()> fixed_roles_;
};

}  // namespace sundial
