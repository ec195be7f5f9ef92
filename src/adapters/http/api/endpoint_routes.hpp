#pragma once

#include <chrono>

#include "adapters/http/router.hpp"
#include "application/create_endpoint.hpp"
#include "application/edit_endpoint.hpp"
#include "application/queries.hpp"
#include "application/read_inbox.hpp"
#include "application/rotate_secret.hpp"
#include "application/test_endpoint.hpp"

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
