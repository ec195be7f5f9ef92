#pragma once

#include <optional>
#include <string>
#include <vector>

#include "application/ports/secrets.hpp"
#include "domain/signing_key.hpp"

namespace sundial {

/// What an endpoint signs with from now on, and what is shown of it.
struct FreshKeys {
    std::vector<SigningKey> keys;
    std::string secret;       // to be shown now and never again
    std::string secret_hint;  // "whsec_…Q9f"
    std::string public_key;   // "whpk_…"; empty without Ed25519
};

/// A secret, `given` or random, and with `ed25519` a pair of keys beside it. Errors:
/// ValidationFailed.
[[nodiscard]] Result<FreshKeys> fresh_keys(Secrets& secrets,
                                           const std::optional<std::string>& given, bool ed25519);

}  // namespace sundial
