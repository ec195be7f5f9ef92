#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"

namespace sundial {

/// A place in the list of what a tz database would move: the last event that was looked at.
struct ImpactPlace {
    ComputedWith pair;
    EventId event;
};

/// What a tz database would move.
struct TzImpact {
    struct Move {
        Event event;                   // as it is
        std::optional<Instant> after;  // empty: a policy skips its local time then
    };
    std::string in_force;  // release
    std::string release;   // of the database that was asked about
    std::vector<Move> moves;
    std::optional<ImpactPlace> last;  // where to go on; empty at the end
};

/// Tells what FollowTzdata would do by the tz database that is at the source, be it in force or not
/// yet. Changes nothing.
class SurveyTzdata {
public:
    SurveyTzdata(Store& store, const TimeZones& zones) : store_(store), zones_(zones) {}
    /// At most `limit` moves, from after `after`: fewer, with more to come, where of many events
    /// few move. Throws Corrupt or CannotStart when there is no whole database at the source.
    [[nodiscard]] TzImpact run(const std::optional<ImpactPlace>& after, std::size_t limit) const;

private:
    Store& store_;
    const TimeZones& zones_;
};

}  // namespace sundial
