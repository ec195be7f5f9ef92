#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"

/// Which pending events a tz database gives another instant: what FollowTzdata applies and
/// SurveyTzdata tells.
namespace sundial {

/// Which events a tz database may take over. An instance that was left behind must not undo what a
/// newer one did, but whoever puts an older release in force means it.
enum class Takeover : std::uint8_t { of_older, of_any };

/// Events of one zone and release, and the zone as it is now.
struct StalePair {
    ComputedWith pair;
    std::shared_ptr<const Zone> zone;
};
struct StaleClocks {
    std::vector<StalePair> pairs;  // sorted
    std::set<std::string> newer;   // releases whose events were left alone, for they are newer
};

/// What pending events were computed with, where `data` has another clock, or may have: one that
/// nobody remembers. A zone that `data` lacks is left alone: as it was computed is the best we
/// know.
[[nodiscard]] StaleClocks stale_clocks(Transaction& tx, const TzData& data, Takeover takeover);

/// The instant of a pending event by the clock of `zone`; empty if a policy skips its local time.
[[nodiscard]] std::optional<Instant> instant_by(const Event& event, const Zone& zone);

/// What is to be remembered of a clock at `now`.
[[nodiscard]] KnownClock clock_of(const Zone& zone, Instant now);

}  // namespace sundial
