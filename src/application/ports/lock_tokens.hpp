#pragma once

#include <string>
#include <string_view>

namespace sundial {

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

}  // namespace sundial
