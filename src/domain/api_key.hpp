#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// What the holder of a key may do; each may all that those before it may.
enum class Role : std::uint8_t { read, write, admin };
[[nodiscard]] std::string_view to_string(Role role);
[[nodiscard]] std::optional<Role> parse_role(std::string_view text);

/// The right to use the API, as it is kept: never the secret, only what it is recognised by.
struct ApiKey {
    ApiKeyId id;
    std::string name;
    Role role = Role::read;
    std::string secret_hash;  // SHA-256: 32 bytes
    std::optional<Instant> expires_at{};
    std::optional<Instant> last_used_at{};  // noted now and then, not at each request
    Version version{1};
    Instant created_at{};
    friend bool operator==(const ApiKey&, const ApiKey&) = default;
};

[[nodiscard]] bool expired(const ApiKey& key, Instant now);

/// The 10 characters that name a key in its own text, in lists and in logs: the last 50 bits of its
/// id, which are random, in Crockford's base 32.
[[nodiscard]] std::string handle_of(const ApiKeyId& id);

/// A key in the words of whoever has it: `sundial_sk_<handle>_<secret><checksum>`, where the secret
/// is 32 bytes in base64url (43 characters) and the checksum CRC-32 of all before it in base 62
/// (6 characters), so that a mistyped key is known without asking anybody, and a leaked one found
/// by scanners.
struct KeyText {
    std::string handle;
    std::string secret;
};
[[nodiscard]] std::string to_string(const KeyText& key);
/// Nothing if it is no such text, its checksum included.
[[nodiscard]] std::optional<KeyText> parse_key_text(std::string_view text);

}  // namespace sundial
