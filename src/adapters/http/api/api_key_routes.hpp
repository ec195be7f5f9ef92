#pragma once

#include "adapters/http/router.hpp"
#include "application/api_key_ring.hpp"
#include "application/create_api_key.hpp"
#include "application/queries.hpp"
#include "application/revoke_api_key.hpp"

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
