#pragma once

#include <optional>
#include <string>

#include "domain/error.hpp"

namespace sundial {

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

/// Signing secrets, encrypted at rest with AES-256-GCM. Thread-safe.
class Secrets {
public:
    virtual ~Secrets() = default;
    /// Seals `given` (`whsec_` + base64 of 24 to 64 bytes), or 32 random bytes. Errors:
    /// ValidationFailed at /secret, also if there is no encryption key.
    virtual Result<NewSecret> seal(const std::optional<std::string>& given) = 0;
    /// Errors: ValidationFailed at /ed25519 if there is no encryption key.
    virtual Result<NewKeyPair> new_key_pair() = 0;
    /// The key's bytes. Throws Corrupt if it was sealed under an unknown key or has been changed.
    virtual std::string open(const std::string& sealed) = 0;
    /// `sealed` under the current encryption key; empty if it already is. Throws as `open` does.
    virtual std::optional<std::string> resealed(const std::string& sealed) = 0;
};

}  // namespace sundial
