#pragma once

#include <chrono>

#include "adapters/http/router.hpp"
#include "application/endpoints/endpoints_module.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct EndpointApi {
    EndpointsModule& endpoints;
    Queries& queries;
    std::chrono::seconds default_timeout;
    CircuitPolicy circuit{};
};

/// /v1/endpoints.
void add_endpoint_routes(Router& router, EndpointApi api);

}  // namespace sundial::http
