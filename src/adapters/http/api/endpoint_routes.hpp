#pragma once

#include <chrono>

#include "adapters/http/router.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/read_inbox.hpp"
#include "application/endpoints/rotate_secret.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct EndpointApi {
    CreateEndpoint& create;
    EditEndpoint& edit;
    RotateSecret& rotate;
    TestEndpoint& test;
    ReadInbox& read_inbox;
    ClearInbox& clear_inbox;
    Queries& queries;
    std::chrono::seconds default_timeout;
    CircuitPolicy circuit{};
};

/// /v1/endpoints.
void add_endpoint_routes(Router& router, EndpointApi api);

}  // namespace sundial::http
