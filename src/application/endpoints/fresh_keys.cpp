#include "application/endpoints/fresh_keys.hpp"

#include <utility>

namespace sundial {

EndpointResult<FreshKeys> fresh_keys(Secrets& secrets, const std::optional<std::string>& given,
                                     bool ed25519) {
    auto secret = secrets.seal(given);
    if (!secret) return secret.error();
    FreshKeys fresh{.keys = {{.scheme = SignatureScheme::v1, .sealed = std::move(secret->sealed)}},
                    .secret = std::move(secret->shown),
                    .secret_hint = std::move(secret->hint),
                    .public_key = {}};
    if (!ed25519) return fresh;
    auto pair = secrets.new_key_pair();
    if (!pair) return pair.error();
    fresh.keys.push_back({.scheme = SignatureScheme::v1a, .sealed = std::move(pair->sealed)});
    fresh.public_key = std::move(pair->public_key);
    return fresh;
}

}  // namespace sundial
