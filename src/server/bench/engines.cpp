#include "server/bench/engines.hpp"

namespace sundial::bench {

void Watch::transition(std::string_view /*type*/, EventStatus status, std::size_t count) {
    if (status == EventStatus::completed) completed_ += count;
}

void Watch::claimed(std::size_t /*events*/, std::size_t /*lost_attempts*/, Instant /*at*/,
                    std::chrono::microseconds duration) {
    const std::lock_guard lock(mutex_);
    claims_.push_back({clock_.now(), duration});
}

std::vector<Watch::Claim> Watch::claims() const {
    const std::lock_guard lock(mutex_);
    return claims_;
}

std::vector<std::string> sealing_keys() { return {std::string(32, 'b')}; }

Engines::Engines(const Site& site, const Handlers& handlers, EngineObserver& observer,
                 std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        engines_.push_back(std::make_unique<server::Engine>(
            site.open(), server::EngineParts{.settings = site.settings,
                                             .zones = site.zones,
                                             .handlers = handlers,
                                             .observer = observer,
                                             .storage_observer = silent_observer_,
                                             .log = site.log,
                                             .encryption_keys = sealing_keys()}));
    }
}

void Engines::start() {
    for (const auto& engine : engines_) engine->start();
}

void Engines::stop() {
    for (const auto& engine : engines_) engine->stop();
}

server::Database& Engines::database() { return engines_.front()->database(); }

}  // namespace sundial::bench
