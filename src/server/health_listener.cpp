#include "server/health_listener.hpp"

#include <utility>

namespace sundial::server {

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
