#pragma once

#include <string_view>

#include "adapters/http/router.hpp"

namespace sundial::http {

/// What the program carries with it to read. The texts outlive the routes.
struct Documents {
    std::string_view openapi;  // openapi.json
    std::string_view errors;   // docs/reference/errors.md
};

/// /openapi.json, /docs/errors, and /docs/errors/{code}, where the `type` of every error leads.
void add_document_routes(Router& router, Documents documents);

/// Whether it is one of these, which need no database.
[[nodiscard]] bool is_document(std::string_view path);

/// The section of `errors` that is about `code`, its heading first; empty if there is none.
[[nodiscard]] std::string_view section_of(std::string_view errors, std::string_view code);

}  // namespace sundial::http
