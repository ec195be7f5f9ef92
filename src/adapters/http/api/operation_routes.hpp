#pragma once

#include <string>

#include "adapters/http/router.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/operation_repository.hpp"
#include "application/requests/queries.hpp"
#include "domain/operation.hpp"

/// Operations as JSON.

namespace sundial::http {

[[nodiscard]] std::string operation_json(const sundial::Operation& operation);
[[nodiscard]] std::string failure_json(const NumberedFailure& failure);

struct OperationApi {
    Operations& operations;
    Queries& queries;
};

/// /v1/operations.
void add_operation_routes(Router& router, OperationApi api);

}  // namespace sundial::http
