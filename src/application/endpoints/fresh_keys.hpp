#pragma once

#include <optional>
#include <string>
#include <vector>

#include "application/ports/secrets.hpp"
#include "application/requests/results.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

/// The new signing keys of an endpoint, and their displayed parts.
struct FreshKeys {
    std::vector<SigningKey> keys;
    std::string secret;       // shown only once
    std::string secret_hint;  // "whsec_…Q9f"
    std::string public_key;   // "whpk_…"; empty without Ed25519
};

/// A secret, `given` or random, and with `ed25519` also a pair of keys. Errors: ValidationFailed.
[[nodiscard]] EndpointResult<FreshKeys> fresh_keys(Secrets& secrets,
                                                   const std::optional<std::string>& given,
                                                   bool ed25519);

}  // namespace sundial
