#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"

namespace sundial {

/// Encrypts text that must not be readable in a database. Thread-safe.
class Seal {
public:
    virtual ~Seal() = default;
    /// Empty if there is no encryption key.
    virtual std::optional<std::string> seal_text(std::string_view text) = 0;
    /// Throws Corrupt if the text was sealed under an unknown key or has been changed.
    virtual std::string open(const std::string& sealed) = 0;
};

struct NewSecret {
    std::string shown;   // "whsec_…": shown once
    std::string sealed;  // the stored form
    std::string hint;    // "whsec_…Q9f"
};

/// A new pair of Ed25519 keys.
struct NewKeyPair {
    std::string public_key;  // "whpk_…"
    std::string sealed;      // the stored form of the private key
};

/// Signing secrets and other text of an endpoint, encrypted at rest with AES-256-GCM. Thread-safe.
/// `open` gives a key's bytes, or the text.
class Secrets : public Seal {
public:
    /// Seals `given` (`whsec_` + base64 of 24 to 64 bytes), or 32 random bytes. Errors:
    /// ValidationFailed at /secret, also if there is no encryption key.
    virtual Result<NewSecret, ValidationFailed> seal(const std::optional<std::string>& given) = 0;
    /// Errors: ValidationFailed at /ed25519 if there is no encryption key.
    virtual Result<NewKeyPair, ValidationFailed> new_key_pair() = 0;
    /// `sealed` under the encryption key that seals today; nothing if it is already. Throws as
    /// `open` does.
    virtual std::optional<std::string> resealed(const std::string& sealed) = 0;
};

/// The secrets of API keys. Thread-safe.
class ApiKeySecrets {
public:
    virtual ~ApiKeySecrets() = default;
    struct Fresh {
        std::string secret;  // 32 random bytes in base64url: 43 characters
        std::string hash;    // the stored form of the secret
    };
    virtual Fresh make() = 0;
    /// SHA-256: a secret with 256 random bits needs no salt and no slow hash.
    [[nodiscard]] virtual std::string hash(std::string_view secret) const = 0;
    /// Whether `hash` is the hash of `secret`. The comparison takes the same time wherever they
    /// differ.
    [[nodiscard]] virtual bool matches(std::string_view secret, std::string_view hash) const = 0;
};

/// Tokens by which holders of locks identify themselves. Thread-safe.
class LockTokens {
public:
    virtual ~LockTokens() = default;
    struct Fresh {
        std::string token;  // 128 random bits: 32 hex digits
        std::string hash;   // the stored form of the token
    };
    virtual Fresh make() = 0;
    /// SHA-256: 32 bytes.
    [[nodiscard]] virtual std::string hash(std::string_view token) const = 0;
};

/// SHA-256. Thread-safe.
class Digest {
public:
    virtual ~Digest() = default;
    /// 32 bytes.
    [[nodiscard]] virtual std::string sha256(std::string_view bytes) const = 0;
};

}  // namespace sundial
