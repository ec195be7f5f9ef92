#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "domain/event.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// A claimed event that policy has ended. Without a reason: it is over by somebody else's hand.
struct DroppedEvent {
    EventId id;
    std::string reason;
};

/// What became of planning for one batch of claimed events.
struct Planning {
    std::vector<Schedule> schedules{};            // of the events, as they are now
    std::vector<EventId> without_zone{};          // the zone they run in is not in the tz database
    std::vector<DroppedEvent> dropped{};          // must not be sent, and need not be settled
    std::map<std::string, std::size_t> stored{};  // new events by type
    Instant earliest = never;                     // when the first of them is claimable
};

/// Stores the next occurrence of each claimed recurring event before it is sent, so a slow, failing
/// or crashed delivery never stops a schedule; and ends those that their schedule's policies keep
/// from firing, with a record of all that is skipped. One transaction per batch. Repeating it
/// changes nothing: an occurrence has its key for ever.
class PlanSuccessors {
public:
    PlanSuccessors(Store& store, const TimeZones& zones, Ids& ids)
        : store_(store), zones_(zones), ids_(ids) {}
    /// Without a user (deleted) or date there is no successor; without its zone it cannot be told,
    /// so the event must not be sent yet. Throws Unavailable.
    Planning run(std::span<const Event> claimed);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
};

}  // namespace sundial
