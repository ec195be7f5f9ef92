#include "server/gate.hpp"

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/health_routes.hpp"
#include "adapters/http/api/seed_errors.hpp"

namespace sundial::server {
namespace {

bool is_health(std::string_view path) {
    return path == "/livez" || path == "/readyz" || path == "/healthz" || path == "/openapi.json";
}

}  // namespace

Gate::Gate(const http::ApiSchema& schema, std::string_view openapi, base::Log& log)
    : openapi_(openapi), health_(schema, everybody_, log) {
    add_health(health_);
}

void Gate::add_health(http::Router& router) {
    http::add_health_routes(router, {.checks = [this] { return checks(); }, .openapi = openapi_});
}

void Gate::open(http::Router& router, std::function<std::vector<http::HealthCheck>()> checks) {
    engine_checks_ = std::move(checks);
    router_.store(&router, std::memory_order_release);
}

http::Response Gate::answer(http::Request request) const {
    const std::string path = request.path;
    if (const http::Router* const router = router_.load(std::memory_order_acquire)) {
        return http::with_seed_error(router->handle(std::move(request)), path);
    }
    if (is_health(path)) return health_.handle(std::move(request));
    const http::Problem problem{.code = http::Code::not_ready,
                                .detail = "the database is not there yet; see /readyz"};
    return http::with_seed_error(http::refused(problem, request), path);
}

std::vector<http::HealthCheck> Gate::checks() const {
    using enum http::HealthCheck::Status;
    if (router_.load(std::memory_order_acquire) == nullptr) {
        return {{"database", fail, "the database is not there yet"}};
    }
    auto checks = engine_checks_();
    if (draining_) checks.insert(checks.begin(), {"draining", fail, "the process is stopping"});
    return checks;
}

}  // namespace sundial::server
