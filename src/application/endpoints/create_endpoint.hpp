#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/delivery.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

/// Settings of this installation for endpoints.
struct EndpointSettings {
    std::chrono::seconds lease{30};  // a time-out longer than lease − 10 s is refused
    bool allow_inbox = false;
};

struct NewEndpoint {
    std::optional<std::string> external_id{};
    std::string name{};
    EndpointType type = EndpointType::webhook;
    std::optional<std::string> url{};  // only for a webhook
    BodyFormat format = BodyFormat::raw;
    std::vector<HeaderText> headers{};
    std::chrono::seconds timeout{10};
    RetryPolicy retry_policy{};
    std::uint32_t retry_client_errors = 0;
    std::optional<RateLimit> rate_limit{};
    std::optional<std::uint32_t> max_in_flight{};
    bool enabled = true;
    std::optional<std::string> secret{};  // only for a webhook; empty: a random one
    bool ed25519 = false;                 // only for a webhook: also signs with such a key
};

struct CreatedEndpoint {
    Endpoint endpoint;
    std::string secret;  // shown only once; empty for an inbox
};

/// Adds an endpoint.
class CreateEndpoint {
public:
    CreateEndpoint(Store& store, Secrets& secrets, const DestinationRules& destinations, Ids& ids,
                   EndpointSettings settings)
        : store_(store),
          secrets_(secrets),
          destinations_(destinations),
          ids_(ids),
          settings_(settings) {}
    /// Errors: ValidationFailed, DuplicateExternalId.
    [[nodiscard]] Result<CreatedEndpoint> run(const NewEndpoint& wanted, const Caller& caller);

private:
    Store& store_;
    Secrets& secrets_;
    const DestinationRules& destinations_;
    Ids& ids_;
    EndpointSettings settings_;
};

}  // namespace sundial
