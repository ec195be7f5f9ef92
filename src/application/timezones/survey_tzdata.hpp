#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"

/// The pending events to which a tz database gives another instant. FollowTzdata moves them and
/// SurveyTzdata reports them.
namespace sundial {

/// The events that a tz database may move. An instance with an old release must not undo the work
/// of an instance with a newer one. But an operator may install an older release on purpose.
enum class Takeover : std::uint8_t { of_older, of_any };

/// Events of one zone and release, and the current zone.
struct StalePair {
    ComputedWith pair;
    std::shared_ptr<const Zone> zone;
};
struct StaleClocks {
    std::vector<StalePair> pairs;  // sorted
    std::set<std::string> newer;   // newer releases, whose events were left alone
};

/// The pairs that pending events were computed with and for which `data` has another clock, or may
/// have another because none is stored. A zone that `data` lacks is left alone: the computed
/// instant is the best one known.
[[nodiscard]] StaleClocks stale_clocks(Transaction& tx, const TzData& data, Takeover takeover);

/// The instants of pending events of one zone by its current clock. Inside one transaction.
class InstantsByClock {
public:
    /// `zone` is the zone in `data`.
    InstantsByClock(Transaction& tx, const Zone& zone, const TzData& data)
        : tx_(tx), zone_(zone), data_(data) {}
    /// Empty if a policy skips its local time. An event that follows elapsed time (every five
    /// minutes, every three hours) gets the next instant of its rule: keeping its local time would
    /// skip or repeat hours. An event that is already due stays.
    [[nodiscard]] std::optional<Instant> of(const Event& event);
    /// The schedule whose next occurrence `event` becomes; null if it keeps its occurrence.
    [[nodiscard]] const Schedule* to_follow(const Event& event);

private:
    [[nodiscard]] const Schedule* by_real_time(const Event& event);
    [[nodiscard]] Instant next_of(const Schedule& schedule, const Event& event) const;

    Transaction& tx_;
    const Zone& zone_;
    const TzData& data_;
    /// Schedules looked up; empty if not by elapsed time.
    std::map<ScheduleId, std::optional<Schedule>> real_time_;
};

/// The clock to store at `now`.
[[nodiscard]] KnownClock clock_of(const Zone& zone, Instant now);

/// A place in the list of moves: the last event that was examined.
struct ImpactPlace {
    ComputedWith pair;
    EventId event;
};

/// The moves that a tz database would cause.
struct TzImpact {
    struct Move {
        Event event;                   // current state
        std::optional<Instant> after;  // empty: a policy skips its new local time
    };
    std::string in_effect;  // release
    std::string release;    // of the surveyed database
    std::vector<Move> moves;
    std::optional<ImpactPlace> last;  // where to continue; empty at the end
};

/// Reports the moves that FollowTzdata would make with the tz database at the source, whether or
/// not it is already in use. Changes nothing.
class SurveyTzdata {
public:
    SurveyTzdata(Store& store, const TimeZones& zones) : store_(store), zones_(zones) {}
    /// At most `limit` moves after `after`. A page can have fewer moves although more follow, if
    /// few of many events move. Throws Corrupt or CannotStart if there is no complete database at
    /// the source.
    [[nodiscard]] TzImpact run(const std::optional<ImpactPlace>& after, std::size_t limit) const;

private:
    Store& store_;
    const TimeZones& zones_;
};

}  // namespace sundial
