#pragma once

#include <string>

#include "adapters/http/json.hpp"
#include "application/access/create_api_key.hpp"

namespace sundial::http {

/// Errors: ValidationFailed.
[[nodiscard]] Result<NewApiKey> new_api_key(const JsonBody& body);
/// `text` is the key itself, in the one response that may show it.
[[nodiscard]] std::string api_key_json(const ApiKey& key, const std::string& text = {});

}  // namespace sundial::http
