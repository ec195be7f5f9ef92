#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "application/delivery/handlers.hpp"
#include "application/observation/observer.hpp"
#include "server/bench/site.hpp"
#include "server/engine.hpp"

namespace sundial::bench {

/// Counts the completed events, and records how late they were and how long the claims took.
class Watch final : public EngineObserver {
public:
    struct Claim {
        std::chrono::microseconds at;  // by the monotonic clock
        std::chrono::microseconds took;
    };
    explicit Watch(const MonotonicClock& clock) : clock_(clock) {}
    void transition(std::string_view type, EventStatus status, std::size_t count) override;
    void claimed(std::size_t events, std::size_t lost_attempts, Instant at,
                 std::chrono::microseconds duration) override;

    [[nodiscard]] std::size_t completed() const { return completed_; }
    [[nodiscard]] std::vector<Claim> claims() const;

private:
    const MonotonicClock& clock_;
    std::atomic<std::size_t> completed_{0};
    mutable std::mutex mutex_;
    std::vector<Claim> claims_;
};

/// The product's engines on the scratch database, each with its own connections, as in separate
/// processes. The destructor stops them.
class Engines {
public:
    Engines(const Site& site, const Handlers& handlers, EngineObserver& observer,
            std::size_t count);
    void start();
    void stop();
    /// The database of the first engine.
    [[nodiscard]] server::Database& database();

private:
    StorageObserver silent_observer_;
    std::vector<std::unique_ptr<server::Engine>> engines_;
};

/// 32 bytes that seal the secret of the receiver's endpoint.
[[nodiscard]] std::vector<std::string> sealing_keys();

}  // namespace sundial::bench
