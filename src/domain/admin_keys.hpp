#pragma once

#include <span>

#include "domain/api_key.hpp"
#include "domain/error.hpp"

/// While keys exist, at least one ADMIN key has no expiry. Without it, no key could be created or
/// revoked any more.
namespace sundial {

/// The keys that the rules below look at.
struct KnownKeys {
    std::span<const ApiKey> kept;  // in the database
    std::span<const Role> fixed;   // of the keys in the operator's file
};

/// Whether `wanted` may be added. Errors: FirstKeyNotAdmin, LastAdminKey.
[[nodiscard]] Result<void> may_add(const ApiKey& wanted, const KnownKeys& known, Instant now);
/// Whether `key`, one of those kept, may be removed. Errors: LastAdminKey.
[[nodiscard]] Result<void> may_remove(const ApiKey& key, const KnownKeys& known, Instant now);

}  // namespace sundial
