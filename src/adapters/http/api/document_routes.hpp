#pragma once

#include <string_view>

#include "adapters/http/router.hpp"

namespace sundial::http {

/// Documents embedded in the program. The texts must outlive the routes.
struct Documents {
    std::string_view openapi;  // openapi.json
    std::string_view errors;   // docs/reference/errors.md
};

/// /openapi.json, /docs/errors, and /docs/errors/{code}, the target of the `type` of every error.
void add_document_routes(Router& router, Documents documents);

/// Whether `path` is one of these. They need no database.
[[nodiscard]] bool is_document(std::string_view path);

/// The section of `errors` about `code`, including its heading; empty if there is none.
[[nodiscard]] std::string_view section_of(std::string_view errors, std::string_view code);

}  // namespace sundial::http
