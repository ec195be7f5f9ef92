#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "application/audit/caller.hpp"
#include "application/ports/api_key_secrets.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "domain/api_key.hpp"

namespace sundial {

/// Bounds the memory: every instance holds all keys in RAM.
inline constexpr std::size_t most_api_keys = 1'000;

struct NewApiKey {
    std::string name{};
    Role role = Role::read;
    std::optional<Instant> expires_at{};
};

struct CreatedApiKey {
    ApiKey key;
    std::string text;  // the key itself, shown only once
};

/// Creates a key for the API.
class CreateApiKey {
public:
    CreateApiKey(Store& store, ApiKeySecrets& secrets, Ids& ids)
        : store_(store), secrets_(secrets), ids_(ids) {}
    /// Errors: ValidationFailed.
    [[nodiscard]] Result<CreatedApiKey> run(const NewApiKey& wanted, const Caller& caller);

private:
    Store& store_;
    ApiKeySecrets& secrets_;
    Ids& ids_;
};

}  // namespace sundial
