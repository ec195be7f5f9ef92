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
        std::string hash;    // what is kept of it
    };
    virtual Fresh make() = 0;
    /// SHA-256: a secret with 256 random bits needs no salt and no slow hash.
    [[nodiscard]] virtual std::string hash(std::string_view secret) const = 0;
    /// Whether `hash` is that of `secret`, in a time that does not tell how much of it is.
    [[nodiscard]] virtual bool matches(std::string_view secret, std::string_view hash) const = 0;
};

}  // namespace sundial
