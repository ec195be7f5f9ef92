#include "adapters/system/secrets.hpp"

#include <algorithm>
#include <utility>

#include "adapters/system/crypto.hpp"
#include "base/base64.hpp"

namespace sundial::system {
namespace {

constexpr std::size_t secret_bytes = 32;

std::string to_base64url(std::string_view bytes) {
    std::string text = base::to_base64(bytes);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    text.erase(text.find_last_not_of('=') + 1);
    return text;
}

}  // namespace

ApiKeySecrets::Fresh SystemApiKeySecrets::make() {
    std::string secret = to_base64url(random_bytes(secret_bytes));
    std::string its_hash = hash(secret);
    return {std::move(secret), std::move(its_hash)};
}

std::string SystemApiKeySecrets::hash(std::string_view secret) const { return sha256(secret); }

bool SystemApiKeySecrets::matches(std::string_view secret, std::string_view hash) const {
    return equal_in_constant_time(sha256(secret), hash);
}

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

std::string OpensslDigest::sha256(std::string_view bytes) const { return system::sha256(bytes); }

}  // namespace sundial::system
