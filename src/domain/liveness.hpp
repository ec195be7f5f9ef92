#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "domain/event.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

/// Heartbeats: how instances notice that one of them has died, long before its leases end
/// (ADR 0040). The numbers are fixed, because all instances of a database must agree on them.
namespace sundial {

inline constexpr std::chrono::microseconds renew_every{std::chrono::seconds{1}};
/// An instance that has not renewed its heartbeat for this long aborts its requests and starts
/// none. By its own clock, and from before the renewal was sent.
inline constexpr std::chrono::microseconds silent_after{std::chrono::seconds{4}};
/// Then other instances may take its claims, by the database's clock. The difference is for the
/// abort itself; together with the claim it must stay below 5 s.
inline constexpr std::chrono::microseconds dead_after{std::chrono::milliseconds{4500}};
/// If an instance could not renew its own heartbeat for longer than this, the database may have
/// been unavailable to all instances, or its clock was set. The difference to `renew_every` is at
/// most that of the two above, so that a smaller step of the clock makes no instance die too early.
inline constexpr std::chrono::microseconds longest_gap{std::chrono::milliseconds{1500}};

/// The heartbeat of a dead instance is kept for this long. Leases end all its claims that are left
/// by then, unless they are longer.
inline constexpr std::chrono::microseconds remembered_for{std::chrono::minutes{10}};

/// The heartbeat of one instance, by the database's clock.
struct Heartbeat {
    Instant renewed_at;
    Instant unbroken_since;  // no two renewals since then were further apart than `longest_gap`
    friend bool operator==(const Heartbeat&, const Heartbeat&) = default;
};

/// The heartbeat after a renewal at `now`.
[[nodiscard]] Heartbeat renewed(const std::optional<Heartbeat>& before, Instant now);

/// When an instance with the heartbeat `own` finds another one dead, if that one does not renew its
/// heartbeat before. Time in which the database may have been unavailable to all does not count:
/// `own` must have been renewed without a gap.
[[nodiscard]] Instant found_dead_at(const Heartbeat& own, const Heartbeat& other);

/// The instances that one instance has found dead. An instance that was only frozen gives up its
/// claims when it notices, and goes on with new ones; those are later than `as_of`.
struct DeadInstances {
    std::vector<InstanceId> ids{};
    Instant as_of{};  // the database's clock when they were found dead
    friend bool operator==(const DeadInstances&, const DeadInstances&) = default;
};

/// Whether a dead instance made the claim that holds this event. Claims of pull workers are not
/// their instance's, and end with their lease.
[[nodiscard]] bool is_left_behind(const Event& event, const DeadInstances& dead);

}  // namespace sundial
