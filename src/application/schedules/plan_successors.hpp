#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "application/ports/ids.hpp"
#include "application/ports/shared_event.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "domain/event.hpp"
#include "domain/schedule.hpp"

namespace sundial {

/// A claimed event that a policy has ended. The reason is empty if another caller has ended it.
struct DroppedEvent {
    EventId id;
    std::string reason;
};

/// The result of planning for one batch of claimed events.
struct Planning {
    std::vector<Schedule> schedules{};            // the current schedules of the events
    std::vector<EventId> without_zone{};          // the zone of the event is not in the tz database
    std::vector<EventId> unplanned{};             // a part of the storage failed; plan them later
    std::vector<DroppedEvent> dropped{};          // must not be sent and need no settlement
    std::map<std::string, std::size_t> stored{};  // new events by type
    Instant earliest = never;                     // when the first new event is claimable
};

/// Stores the next occurrence of each claimed recurring event before that event is sent, so that a
/// slow, failing or crashed delivery never stops a schedule. Ends events that their schedule's
/// policies drop, and records everything skipped. One transaction per batch; if a part of the
/// storage (Store::parts) fails, one for each event, so that the others are planned. Repeating it
/// changes nothing, because the key of an occurrence never changes.
class PlanSuccessors {
public:
    PlanSuccessors(Store& store, const TimeZones& zones, Ids& ids)
        : store_(store), zones_(zones), ids_(ids) {}
    /// The same for PENDING events that the caller's transaction has locked.
    /// There is no successor without a user (deleted) or date. Without its zone the successor is
    /// unknown, so the event must not be sent yet. Throws Unavailable.
    Planning run(std::span<const SharedEvent> claimed);

private:
    [[nodiscard]] Planning plan(std::span<const SharedEvent> claimed);
    [[nodiscard]] Planning plan_each(std::span<const SharedEvent> claimed);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
};

/// Adds the results of another call.
void add_planning(Planning& all, Planning&& part);

}  // namespace sundial
