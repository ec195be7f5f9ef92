#pragma once

#include <optional>
#include <string>

#include "domain/error.hpp"

namespace sundial {

struct NewSecret {
    std::string shown;   // "whsec_…": shown once
    std::string sealed;  // what is stored
    std::string hint;    // "whsec_…Q9f"
};

/// Signing secrets, encrypted at rest with AES-256-GCM. Thread-safe.
class Secrets {
public:
    virtual ~Secrets() = default;
    /// Seals `given` (`whsec_` + base64 of 24 to 64 bytes), or 32 random bytes. Errors:
    /// ValidationFailed at /secret, also when there is no encryption key to seal with.
    virtual Result<NewSecret> seal(const std::optional<std::string>& given) = 0;
    /// The key's bytes. Throws Corrupt if it was sealed under another key or changed.
    virtual std::string open(const std::string& sealed) = 0;
};

}  // namespace sundial
