#include "adapters/http/cors.hpp"

#include <algorithm>
#include <utility>

#include "adapters/http/browser_rules.hpp"

namespace sundial::http {
namespace {

constexpr auto methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
/// The header fields that operations of openapi.json read and that browsers do not allow by
/// default.
constexpr auto request_fields =
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
    "Prefer, Sundial-Lock-Token, X-Request-Id, traceparent";
/// The header fields of answers that browsers hide from pages by default.
constexpr auto response_fields =
    "Allow, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, "
    "WWW-Authenticate, X-Request-Id";
constexpr auto preflight_seconds = "600";

bool is_preflight(const Request& request) {
    return request.method == "OPTIONS" && request.headers.find("Access-Control-Request-Method");
}

}  // namespace

Cors::Cors(const std::vector<std::string>& origins) : origins_(cors_origins(origins)) {}

bool Cors::allows(const Request& request) const {
    const auto origin = parse_origin(request.headers.find("Origin").value_or(""));
    return origin && std::ranges::find(origins_, *origin) != origins_.end();
}

Response Cors::answer(Request request, const std::function<Response(Request)>& answer) const {
    if (origins_.empty()) return answer(std::move(request));
    const bool allowed = allows(request);
    const std::string origin{request.headers.find("Origin").value_or("")};
    const bool preflight = allowed && is_preflight(request);
    Response response = preflight ? no_content() : answer(std::move(request));
    response.headers.add("Vary", "Origin");
    if (!allowed) return response;
    response.headers.set("Access-Control-Allow-Origin", origin);
    if (preflight) {
        response.headers.set("Access-Control-Allow-Methods", methods);
        response.headers.set("Access-Control-Allow-Headers", request_fields);
        response.headers.set("Access-Control-Max-Age", preflight_seconds);
    } else {
        response.headers.set("Access-Control-Expose-Headers", response_fields);
    }
    return response;
}

}  // namespace sundial::http
