#include "server/gate.hpp"

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/problems.hpp"
#include "adapters/http/api/system_routes.hpp"

namespace sundial::server {
namespace {

bool needs_no_database(std::string_view path) {
    return path == "/livez" || path == "/readyz" || path == "/healthz" || http::is_document(path);
}

}  // namespace

Gate::Gate(const http::ApiSchema& schema, const std::optional<http::Documents>& documents,
           base::Log& log)
    : documents_(documents), own_router_(schema, open_guard_, log) {
    add_own_routes(own_router_);
}

void Gate::add_own_routes(http::Router& router) {
    http::add_health_routes(router, {.checks = [this] { return checks(); }});
    if (documents_) http::add_document_routes(router, *documents_);
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
    if (needs_no_database(path)) return own_router_.handle(std::move(request));
    const http::Problem problem{.code = http::Code::not_ready,
                                .detail = "the database is not available yet; see /readyz"};
    return http::with_seed_error(http::refused(problem, request), path);
}

std::vector<http::HealthCheck> Gate::checks() const {
    using enum http::HealthCheck::Status;
    if (router_.load(std::memory_order_acquire) == nullptr) {
        return {{"database", fail, "the database is not available yet"}};
    }
    auto checks = engine_checks_();
    if (draining_) checks.insert(checks.begin(), {"draining", fail, "the process is stopping"});
    return checks;
}

}  // namespace sundial::server
