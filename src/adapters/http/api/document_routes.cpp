#include "adapters/http/api/document_routes.hpp"

#include <string>

#include "adapters/http/api/answers.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view openapi_path = "/openapi.json";
constexpr std::string_view errors_path = "/docs/errors";
/// Browsers show Markdown of this type instead of offering to save it.
constexpr const char* plain_text = "text/plain; charset=utf-8";

/// Start of a section; an empty line separates it from the heading.
constexpr std::string_view anchor = "<a id=\"";
constexpr std::string_view anchor_end = "\"></a>";

Response error_section(std::string_view errors, const Request& request) {
    const std::string& code = request.path_value("code");
    const std::string_view section = section_of(errors, code);
    if (!section.empty()) return text(200, plain_text, std::string(section));
    return refused({.code = Code::route_not_found,
                    .detail = "unknown error code " + code + "; GET " + std::string(errors_path) +
                              " lists all codes"},
                   request);
}

}  // namespace

void add_document_routes(Router& router, Documents documents) {
    router.add("GET", std::string(openapi_path),
               [documents](const Request&) { return json(200, std::string(documents.openapi)); });
    router.add("GET", std::string(errors_path), [documents](const Request&) {
        return text(200, plain_text, std::string(documents.errors));
    });
    router.add("GET", std::string(errors_path) + "/{code}", [documents](const Request& request) {
        return error_section(documents.errors, request);
    });
}

bool is_document(std::string_view path) {
    return path == openapi_path || path.starts_with(errors_path);
}

std::string_view section_of(std::string_view errors, std::string_view code) {
    const auto own = errors.find(std::string(anchor).append(code).append(anchor_end));
    if (own == std::string_view::npos) return {};
    const auto begin = errors.find("## ", own);
    return errors.substr(begin, errors.find(anchor, begin) - begin);
}

}  // namespace sundial::http
