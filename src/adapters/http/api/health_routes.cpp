#include "adapters/http/api/health_routes.hpp"

#include <algorithm>

#include "adapters/http/api/answers.hpp"
#include "base/json_writer.hpp"

namespace sundial::http {
namespace {

using Status = HealthCheck::Status;

std::string_view name_of(Status status) {
    switch (status) {
        case Status::pass:
            return "pass";
        case Status::warn:
            return "warn";
        case Status::fail:
            break;
    }
    return "fail";
}

const HealthCheck* first_failed(const std::vector<HealthCheck>& checks) {
    const auto failed = std::ranges::find(checks, Status::fail, &HealthCheck::status);
    return failed == checks.end() ? nullptr : &*failed;
}

std::string checks_json(const std::vector<HealthCheck>& checks) {
    base::JsonWriter json;
    json.begin_object();
    for (const HealthCheck& check : checks) {
        json.key(check.name).begin_object().member("status", name_of(check.status));
        if (!check.detail.empty()) json.member("detail", check.detail);
        json.end_object();
    }
    return std::move(json.end_object()).text();
}

Response ready(const HealthApi& api, const Request& request) {
    const auto checks = api.checks();
    const HealthCheck* const failed = first_failed(checks);
    if (!failed) return text(200, "text/plain", "ready\n");
    return refused({.code = Code::not_ready, .detail = failed->detail}, request);
}

/// The same checks in detail, for people and dashboards.
Response health(const HealthApi& api, const Request& request) {
    const auto checks = api.checks();
    const std::string detail = checks_json(checks);
    if (const HealthCheck* const failed = first_failed(checks)) {
        return refused({.code = Code::not_ready,
                        .detail = failed->detail,
                        .members = {{"checks", RawJson{detail}}}},
                       request);
    }
    const bool warned = std::ranges::count(checks, Status::warn, &HealthCheck::status) > 0;
    base::JsonWriter body;
    body.begin_object().member("status", name_of(warned ? Status::warn : Status::pass));
    body.key("checks").raw(detail).end_object();
    return json(200, std::move(body).text());
}

}  // namespace

void add_health_routes(Router& router, HealthApi api) {
    // A response alone proves that the server handles connections.
    router.add("GET", "/livez", [](const Request&) { return text(200, "text/plain", "alive\n"); });
    router.add("GET", "/readyz", [api](const Request& request) { return ready(api, request); });
    router.add("GET", "/healthz", [api](const Request& request) { return health(api, request); });
}

bool asks_for_life(const Request& request) { return request.path == "/livez"; }

}  // namespace sundial::http
