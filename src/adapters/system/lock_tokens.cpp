#include "adapters/system/lock_tokens.hpp"

#include <utility>

#include "adapters/system/crypto.hpp"

namespace sundial::system {

LockTokens::Fresh SystemLockTokens::make() {
    constexpr std::size_t bytes = 16;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string token;
    for (const char byte : random_bytes(bytes)) {
        const auto value = static_cast<unsigned char>(byte);
        token += digits[value >> 4U];
        token += digits[value & 0xfU];
    }
    std::string its_hash = hash(token);
    return {std::move(token), std::move(its_hash)};
}

std::string SystemLockTokens::hash(std::string_view token) const { return sha256(token); }

}  // namespace sundial::system
