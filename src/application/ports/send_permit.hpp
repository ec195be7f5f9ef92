#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <optional>

namespace sundial {

/// Whether this instance may send, which its heartbeat decides (domain/liveness.hpp). Deliveries
/// check it themselves, because the worker may be waiting for the database when the heartbeat
/// fails. All times are of the monotonic clock. Written by one thread, read by any.
class SendPermit {
public:
    using Mono = std::chrono::microseconds;

    /// Whether the attempt of a claim that was sent at `claimed` may begin or go on at `now`. An
    /// attempt without a claim always may.
    [[nodiscard]] bool allows(std::optional<Mono> claimed, Mono now) const {
        return !claimed || (now < until() && *claimed >= since());
    }
    /// It ends then, unless the heartbeat is renewed before.
    [[nodiscard]] Mono until() const { return Mono{until_.load(std::memory_order_acquire)}; }
    /// Earlier claims may have been taken by other instances.
    [[nodiscard]] Mono since() const { return Mono{since_.load(std::memory_order_relaxed)}; }

    void extend(Mono until) { until_.store(until.count(), std::memory_order_release); }
    /// After an interruption: for later claims only.
    void begin(Mono since, Mono until) {
        since_.store(since.count(), std::memory_order_relaxed);
        extend(until);
    }

private:
    // Without a heartbeat everything is allowed.
    std::atomic<Mono::rep> since_{std::numeric_limits<Mono::rep>::min()};
    std::atomic<Mono::rep> until_{std::numeric_limits<Mono::rep>::max()};
};

/// For deliveries of a program without heartbeats.
inline const SendPermit always_permitted;

}  // namespace sundial
