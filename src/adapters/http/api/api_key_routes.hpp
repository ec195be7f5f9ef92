#pragma once

#include "adapters/http/router.hpp"
#include "application/access/api_key_ring.hpp"
#include "application/access/create_api_key.hpp"
#include "application/access/revoke_api_key.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

struct ApiKeyApi {
    CreateApiKey& create;
    RevokeApiKey& revoke;
    ApiKeyRing& ring;
    Queries& queries;
};

/// /v1/api-keys.
void add_api_key_routes(Router& router, ApiKeyApi api);

}  // namespace sundial::http
