#include "adapters/http/api/seed_errors.hpp"

#include <boost/json.hpp>

namespace sundial::http {
namespace {

namespace bj = boost::json;

bool is_seed_route(std::string_view path) {
    for (const std::string_view base : {"/users", "/user"}) {
        if (path == base || (path.starts_with(base) && path[base.size()] == '/')) return true;
    }
    return false;
}

/// The seeds define codes of their own for two fields that often contain mistakes.
std::string_view code_of(const bj::object& problem, const bj::array& details) {
    if (details.size() == 1) {
        const auto& field = details[0].at("field").as_string();
        if (field == "timezone") return "INVALID_TIMEZONE";
        if (field == "dateOfBirth") return "INVALID_DATE_OF_BIRTH";
    }
    return problem.at("code").as_string();
}

}  // namespace

Response with_seed_error(Response response, const std::string& path) {
    if (response.content_type != "application/problem+json" || !is_seed_route(path))
        return response;
    bj::object problem = bj::parse(response.body).as_object();
    bj::array details;
    if (const bj::value* errors = problem.if_contains("errors")) {
        for (const bj::value& error : errors->as_array()) {
            std::string field(error.at("pointer").as_string());
            if (field.starts_with('/')) field.erase(0, 1);
            details.push_back({{"field", field}, {"message", error.at("message")}});
        }
    }
    const std::string code{code_of(problem, details)};
    bj::value error{
        {"code", code}, {"message", problem.at("detail")}, {"details", std::move(details)}};
    // Two steps: adding the member may move values that the initializer list refers to.
    problem["error"] = std::move(error);
    response.body = bj::serialize(problem);
    return response;
}

}  // namespace sundial::http
