#include "server/health.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/problems.hpp"
#include "domain/time/text.hpp"

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

namespace {

using namespace std::chrono_literals;
using enum http::HealthCheck::Status;

constexpr auto slowest_database = 2s;
// One tick: a smaller lateness is not reported as late.
constexpr auto tolerated_difference = 1s;
constexpr std::uintmax_t little_free = 256ULL << 20U;  // enough for some minutes of a busy day

}  // namespace

http::HealthCheck database_check(bool answered, std::chrono::microseconds after) {
    if (!answered) return {"database", fail, "the database does not answer"};
    if (after > slowest_database) return {"database", fail, "the database answers too slowly"};
    return {"database"};
}

http::HealthCheck claim_loop_check(bool stopping, bool turning) {
    if (stopping) return {"claimLoop", fail, "draining: the process is stopping"};
    if (!turning) return {"claimLoop", fail, "the claim loop has made no progress for two ticks"};
    return {"claimLoop"};
}

http::HealthCheck disk_check(std::optional<std::uintmax_t> free) {
    if (!free) return {"disk", warn, "the free disk space is unknown"};
    if (*free < little_free) return {"disk", warn, "the disk is nearly full"};
    return {"disk"};
}

http::HealthCheck clock_check(std::chrono::microseconds ahead) {
    if (std::chrono::abs(ahead) <= tolerated_difference) return {"clock"};
    return {"clock", warn,
            "the clock of this machine differs from the database's, which decides, by " +
                std::to_string(std::chrono::round<std::chrono::seconds>(ahead).count()) + " s"};
}

http::HealthCheck api_keys_check(const ExpiringKeys& expiring) {
    const auto soon = std::ranges::count_if(expiring.keys, [&](const ExpiringKey& key) {
        return key.at - expiring.as_of <= expiry_warning;
    });
    if (soon == 0) return {"apiKeys"};
    return {"apiKeys", warn,
            std::to_string(soon) + (soon == 1 ? " API key expires" : " API keys expire") +
                " within 14 days, the first at " + format_instant(expiring.keys.front().at) +
                "; 'sundial key list' names them"};
}

http::HealthCheck roles_check(const std::vector<std::vector<std::string>>& running) {
    const std::string missing = missing_roles(running);
    if (missing.empty()) return {"roles"};
    return {"roles", warn,
            "no running process has the role " + missing +
                "; 'sundial instance list' shows the roles of each"};
}

std::optional<std::uintmax_t> free_space_of(const std::string& file) {
    std::error_code failure;
    const auto folder = std::filesystem::absolute(file, failure).parent_path();
    const auto space = std::filesystem::space(folder, failure);
    if (failure) return std::nullopt;
    return space.available;
}

HealthListener::HealthListener(const http::ServerSettings& settings, const World& world)
    : world_(world),
      gate_(world.schema, std::nullopt, world.log),
      server_(
          settings, world.world,
          [this](http::Request request) { return gate_.answer(std::move(request)); }, world.metrics,
          world.log) {}

void HealthListener::open(Engine& engine, http::Guard& guard) {
    router_.emplace(world_.schema, guard, world_.log);
    gate_.add_own_routes(*router_);
    engine.add_metrics_route(*router_, world_.metrics);
    gate_.open(*router_, [&engine] { return engine.health(); });
}

}  // namespace sundial::server
