#pragma once

#include "adapters/http/router.hpp"
#include "application/access/access_module.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct ApiKeyApi {
    AccessModule& access;
    Queries& queries;
};

/// /v1/api-keys.
void add_api_key_routes(Router& router, ApiKeyApi api);

}  // namespace sundial::http
