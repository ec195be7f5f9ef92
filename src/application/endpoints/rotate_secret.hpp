#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

namespace sundial {

struct Rotation {
    std::chrono::seconds old_signs_for{std::chrono::hours{24}};  // 0 to 7 days
    std::optional<std::string> secret{};                         // empty: a random one
};

/// Gives an endpoint that signs a new secret, and a new pair of keys if it has one. The new keys
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

}  // namespace sundial
