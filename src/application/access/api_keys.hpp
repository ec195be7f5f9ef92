#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/api_key.hpp"

namespace sundial {

/// Bounds the memory: every instance holds all keys in RAM.
inline constexpr std::size_t max_api_keys = 1'000;

struct NewApiKey {
    std::string name{};
    Role role = Role::read;
    std::optional<Instant> expires_at{};
};

struct CreatedApiKey {
    ApiKey key;
    std::string text;  // the key itself, shown only once
};

/// Makes a key, which gives the right to use the API.
class CreateApiKey {
public:
    /// `fixed_roles`: of keys that are in no database, as of now.
    CreateApiKey(Store& store, ApiKeySecrets& secrets, Ids& ids,
                 std::function<std::vector<Role>()> fixed_roles)
        : store_(store), secrets_(secrets), ids_(ids), fixed_roles_(std::move(fixed_roles)) {}
    /// Errors: ValidationFailed, FirstKeyNotAdmin, LastAdminKey.
    [[nodiscard]] ApiKeyResult<CreatedApiKey> run(const NewApiKey& requested, const Caller& caller);

private:
    Store& store_;
    ApiKeySecrets& secrets_;
    Ids& ids_;
    std::function<std::vector<Role>()> fixed_roles_;
};

/// Removes a key. Every ApiKeyRing refuses it within seconds.
class RevokeApiKey {
public:
    /// `fixed_roles`: of keys that are in no database, as of now.
    RevokeApiKey(Store& store, Ids& ids, std::function<std::vector<Role>()> fixed_roles)
        : store_(store), ids_(ids), fixed_roles_(std::move(fixed_roles)) {}
    /// By its id or its ten characters. Errors: NotFound, LastAdminKey.
    [[nodiscard]] ApiKeyResult<void> run(std::string_view reference, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
    std::function<std::vector<Role>()> fixed_roles_;
};

}  // namespace sundial
