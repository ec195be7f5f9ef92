#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
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

struct Rotation {
    std::chrono::seconds old_signs_for{std::chrono::hours{24}};  // 0 to 7 days
    std::optional<std::string> secret{};                         // empty: a random one
};

/// Gives an endpoint that may sign a new secret, and a new pair of keys if it has one. The new keys
/// sign first, the old ones also sign for a while, so that receivers have time to change theirs.
class RotateSecret {
public:
    RotateSecret(Store& store, Secrets& secrets, const EndpointKinds& kinds, Ids& ids)
        : store_(store), secrets_(secrets), kinds_(kinds), ids_(ids) {}
    /// Errors: NotFound, OptimisticLock, ValidationFailed.
    [[nodiscard]] EndpointResult<CreatedEndpoint> run(std::string_view reference,
                                                      const Rotation& rotation,
                                                      std::optional<Version> expected,
                                                      const Caller& caller);

private:
    Store& store_;
    Secrets& secrets_;
    const EndpointKinds& kinds_;
    Ids& ids_;
};

/// Reseals the keys and header values of all endpoints under the current encryption key, so that
/// the previous key can be removed. Also seals header values that earlier versions stored in plain
/// text. Runs at the start of a process; several processes may run it at once.
class ResealSecrets {
public:
    ResealSecrets(Store& store, Secrets& secrets) : store_(store), secrets_(secrets) {}
    struct Done {
        std::size_t resealed = 0;    // endpoints
        std::size_t unreadable = 0;  // sealed under a key that this server no longer has
        std::size_t unsealed = 0;  // with plain header values, because there is no key to seal them
    };
    [[nodiscard]] Done run();

private:
    /// Returns whether all keys could be opened.
    [[nodiscard]] bool reseal(Endpoint& endpoint);

    Store& store_;
    Secrets& secrets_;
};

}  // namespace sundial
