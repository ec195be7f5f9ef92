#pragma once

#include "adapters/http/router.hpp"
#include "application/operations/operations.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct OperationApi {
    Operations& operations;
    Queries& queries;
};

/// /v1/operations.
void add_operation_routes(Router& router, OperationApi api);

}  // namespace sundial::http
