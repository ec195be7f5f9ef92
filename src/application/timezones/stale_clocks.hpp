#pragma once

#include <cstdint>
#include <map>
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

/// The instants of pending events of one zone, by its clock as it is now. Inside one transaction.
class InstantsByClock {
public:
    /// `zone` is as `data` has it.
    InstantsByClock(Transaction& tx, const Zone& zone, const TzData& data)
        : tx_(tx), zone_(zone), data_(data) {}
    /// Empty if a policy skips its local time. What goes by real time (every five minutes, every
    /// three hours) has the next instant of its rule: to keep its local time would leave hours out
    /// or repeat them. Once due it stays.
    [[nodiscard]] std::optional<Instant> of(const Event& event);
    /// The schedule whose next occurrence `event` is to become; null if it is to stay the one that
    /// it is.
    [[nodiscard]] const Schedule* to_follow(const Event& event);

private:
    [[nodiscard]] const Schedule* by_real_time(const Event& event);
    [[nodiscard]] Instant next_of(const Schedule& schedule, const Event& event) const;

    Transaction& tx_;
    const Zone& zone_;
    const TzData& data_;
    std::map<ScheduleId, std::optional<Schedule>> real_time_;  // of those looked up: if it does
};

/// What is to be remembered of a clock at `now`.
[[nodiscard]] KnownClock clock_of(const Zone& zone, Instant now);

}  // namespace sundial
