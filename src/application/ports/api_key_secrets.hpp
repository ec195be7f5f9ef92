#pragma once

#include <string>
#include <string_view>

namespace sundial {

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

}  // namespace sundial
