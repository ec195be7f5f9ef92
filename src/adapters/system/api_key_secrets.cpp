#include "adapters/system/api_key_secrets.hpp"

#include <algorithm>

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

}  // namespace sundial::system
