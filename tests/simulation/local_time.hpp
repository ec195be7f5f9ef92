#pragma once

#include <chrono>

#include "domain/event.hpp"
#include "support/fake_time_zones.hpp"

namespace sundial::simulation {

/// The wall time at `instant`, from the zone's offset alone. The product computes the opposite
/// direction.
[[nodiscard]] inline WallTime shown_at(const Zone& zone, Instant instant) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(instant);
    return WallTime{seconds.time_since_epoch() + zone.offset_at(instant)};
}

/// Whether the event is due when its zone's clock shows the requested time; if the clock never
/// shows it, whether it is due within that day.
[[nodiscard]] inline bool shows_local_time(const Event& event, const FakeTzData& zones) {
    if (!event.intent.wall) return true;
    const auto zone = zones.find(event.intent.zone);
    if (!zone) return false;
    const WallTime requested = *event.intent.wall;
    if ((*zone)->lookup(std::chrono::floor<std::chrono::seconds>(requested)).kind ==
        LocalLookup::Kind::gap) {
        return std::chrono::abs(shown_at(**zone, event.due) - requested) <= std::chrono::hours{24};
    }
    return shown_at(**zone, event.due) == requested;
}

}  // namespace sundial::simulation
