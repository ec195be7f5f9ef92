#pragma once

#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Removes a key. Every ApiKeyRing refuses it within seconds.
class RevokeApiKey {
public:
    RevokeApiKey(Store& store, Ids& ids) : store_(store), ids_(ids) {}
    /// By its id or its ten characters. Errors: NotFound.
    [[nodiscard]] Result<void> run(std::string_view reference, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
};

}  // namespace sundial
