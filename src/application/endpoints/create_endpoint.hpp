#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "application/audit/caller.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "domain/endpoint.hpp"

namespace sundial {

class EditEndpoint;  // application/endpoints/edit_endpoint.hpp

struct NewEndpoint {
    std::optional<std::string> external_id{};
    std::string name{};
    EndpointType type;
    std::optional<std::string> url{};  // if its type has one, as the next ones
    BodyFormat format = BodyFormat::raw;
    std::map<std::string, std::string> options{};
    std::vector<HeaderText> headers{};
    std::chrono::seconds timeout{10};
    RetryPolicy retry_policy{};
    std::uint32_t retry_client_errors = 0;
    std::optional<RateLimit> rate_limit{};
    std::optional<std::uint32_t> max_in_flight{};
    bool enabled = true;
    std::optional<std::string> secret{};  // if its type signs; empty: a random one
    bool ed25519 = false;                 // if its type signs: also with such a key
};

/// Those that its type judges.
[[nodiscard]] TypeSettings type_settings(const NewEndpoint& requested);

struct CreatedEndpoint {
    Endpoint endpoint;
    std::string secret;  // shown only once; empty: its type does not sign
};

/// Adds an endpoint.
class CreateEndpoint {
public:
    /// A time-out longer than `lease` − 10 s is refused.
    CreateEndpoint(Store& store, Secrets& secrets, const EndpointKinds& kinds, Ids& ids,
                   std::chrono::seconds lease = std::chrono::seconds{30})
        : store_(store), secrets_(secrets), kinds_(kinds), ids_(ids), lease_(lease) {}
    /// Errors: ValidationFailed, DuplicateExternalId.
    [[nodiscard]] EndpointResult<CreatedEndpoint> run(const NewEndpoint& requested,
                                                      const Caller& caller);

private:
    Store& store_;
    Secrets& secrets_;
    const EndpointKinds& kinds_;
    Ids& ids_;
    std::chrono::seconds lease_;
};

struct PutEndpointResult {
    Endpoint endpoint;
    std::string secret;  // shown only once, by the call that created it
    bool created = false;
};

/// Creates the endpoint of an external id, or replaces all its settings.
class PutEndpoint {
public:
    PutEndpoint(CreateEndpoint& create, EditEndpoint& edit) : create_(create), edit_(edit) {}
    /// Ignores `requested.external_id`. With `expected` nothing is created. `retry_waiting` also
    /// attempts at once the events that wait for a retry. Errors: ValidationFailed,
    /// OptimisticLock, NotFound (only with `expected`).
    [[nodiscard]] EndpointResult<PutEndpointResult> run(const std::string& external_id,
                                                        NewEndpoint requested,
                                                        std::optional<Version> expected,
                                                        const Caller& caller,
                                                        bool retry_waiting = false);

private:
    CreateEndpoint& create_;
    EditEndpoint& edit_;
};

}  // namespace sundial
