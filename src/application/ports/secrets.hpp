#pragma once

#include <optional>
#include <string>

#include "application/ports/seal.hpp"
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

/// Signing secrets and other text of an endpoint, encrypted at rest with AES-256-GCM. Thread-safe.
/// `open` gives a key's bytes, or the text.
class Secrets : public Seal {
public:
    /// Seals `given` (`whsec_` + base64 of 24 to 64 bytes), or 32 random bytes. Errors:
    /// ValidationFailed at /secret, also if there is no encryption key.
    virtual Result<NewSecret> seal(const std::optional<std::string>& given) = 0;
    /// Errors: ValidationFailed at /ed25519 if there is no encryption key.
    virtual Result<NewKeyPair> new_key_pair() = 0;
    /// `sealed` under the encryption key that seals today; nothing if it is already. Throws as
    /// `open` does.
    virtual std::optional<std::string> resealed(const std::string& sealed) = 0;
};

}  // namespace sundial
