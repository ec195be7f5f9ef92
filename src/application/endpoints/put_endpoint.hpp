#pragma once

#include <optional>
#include <string>

#include "application/audit/caller.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/requests/results.hpp"

namespace sundial {

struct PutEndpointResult {
    Endpoint endpoint;
    std::string secret;  // shown only once, by the call that created it
    bool created = false;
};

/// Creates the endpoint of an external id, or replaces all its settings.
class PutEndpoint {
public:
    PutEndpoint(CreateEndpoint& create, EditEndpoint& edit) : create_(create), edit_(edit) {}
    /// Ignores `requested.external_id`. With `expected` nothing is created. Errors:
    /// ValidationFailed, OptimisticLock, NotFound (only with `expected`).
    [[nodiscard]] EndpointResult<PutEndpointResult> run(const std::string& external_id,
                                                        NewEndpoint requested,
                                                        std::optional<Version> expected,
                                                        const Caller& caller);

private:
    CreateEndpoint& create_;
    EditEndpoint& edit_;
};

}  // namespace sundial
