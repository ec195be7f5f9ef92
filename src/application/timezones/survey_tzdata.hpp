#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"

namespace sundial {

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
