#pragma once

#include <string>
#include <string_view>

namespace sundial {

/// What holders of locks show for themselves. Thread-safe.
class LockTokens {
public:
    virtual ~LockTokens() = default;
    struct Fresh {
        std::string token;  // 128 random bits: 32 hex digits
        std::string hash;   // what is kept of it
    };
    virtual Fresh make() = 0;
    /// SHA-256: 32 bytes.
    [[nodiscard]] virtual std::string hash(std::string_view token) const = 0;
};

}  // namespace sundial
