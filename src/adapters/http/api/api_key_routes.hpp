#pragma once

#include <string>

#include "adapters/http/json.hpp"
#include "adapters/http/router.hpp"
#include "application/access/access_module.hpp"
#include "application/access/api_keys.hpp"
#include "application/requests/queries.hpp"

namespace sundial::http {

/// Errors: ValidationFailed.
[[nodiscard]] Result<NewApiKey> new_api_key(const JsonBody& body);
/// `text` is the key itself, in the one response that may show it.
[[nodiscard]] std::string api_key_json(const ApiKey& key, const std::string& text = {});

struct ApiKeyApi {
    AccessModule& access;
    Queries& queries;
};

/// /v1/api-keys.
void add_api_key_routes(Router& router, ApiKeyApi api);

}  // namespace sundial::http
