#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/error.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// The rights of an API key; each role includes those before it.
enum class Role : std::uint8_t { read, write, admin };
[[nodiscard]] std::string_view to_string(Role role);
[[nodiscard]] std::optional<Role> parse_role(std::string_view text);

/// The right to use the API, as stored: never the secret, only its hash.
struct ApiKey {
    ApiKeyId id;
    std::string name;
    Role role = Role::read;
    std::string secret_hash;  // SHA-256: 32 bytes
    std::optional<Instant> expires_at{};
    std::optional<Instant> last_used_at{};  // updated from time to time, not at each request
    Version version{1};
    Instant created_at{};
    friend bool operator==(const ApiKey&, const ApiKey&) = default;
};

[[nodiscard]] bool expired(const ApiKey& key, Instant now);

/// The 10 characters that name a key in its own text, in lists and in logs: the last 50 bits of its
/// id, which are random, in Crockford's base 32.
[[nodiscard]] std::string handle_of(const ApiKeyId& id);

/// The text of a key: `sundial_sk_<handle>_<secret><checksum>`. The secret is 32 bytes in base64url
/// (43 characters). The checksum is the CRC-32 of all before it in base 62 (6 characters): it
/// detects a mistyped key without a lookup, and lets scanners find a leaked one.
struct KeyText {
    std::string handle;
    std::string secret;
};
[[nodiscard]] std::string to_string(const KeyText& key);
/// Nothing if `text` is not such a key, or its checksum is wrong.
[[nodiscard]] std::optional<KeyText> parse_key_text(std::string_view text);

/// While keys exist, at least one ADMIN key has no expiry. Without it, no key could be created or
/// revoked any more.

/// The keys that the rules below consider.
struct KnownKeys {
    std::span<const ApiKey> kept;  // in the database
    std::span<const Role> fixed;   // of the keys in the operator's file
};

/// Whether `requested` may be added. Errors: FirstKeyNotAdmin, LastAdminKey.
[[nodiscard]] Result<void, FirstKeyNotAdmin, LastAdminKey> may_add(const ApiKey& requested,
                                                                   const KnownKeys& known,
                                                                   Instant now);
/// Whether `key`, one of those kept, may be removed. Errors: LastAdminKey.
[[nodiscard]] Result<void, LastAdminKey> may_remove(const ApiKey& key, const KnownKeys& known,
                                                    Instant now);

}  // namespace sundial
