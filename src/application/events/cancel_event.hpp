#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "application/audit/action_audit.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "domain/event.hpp"

namespace sundial {

/// Shares users and schedules of events that are to be cancelled, in one order, so that two such
/// transactions never deadlock.
void share_owners(Transaction& tx, std::span<const Event> events);

/// Cancels one event inside a transaction. `earliest` becomes the instant at which its successor is
/// claimable, if that is earlier. An event that is cancelled already gets no entry in its audit
/// stream. Errors: as of CancelEvent.
[[nodiscard]] EventResult<Event> cancel_in(Transaction& tx, const TzData& zones, Ids& ids,
                                           EventId id, std::optional<Version> expected,
                                           Instant& earliest, const ChangedBy& by,
                                           const std::string& reason = "cancelled on request");

/// Cancels an event that is PENDING or waiting for a retry. The successor of a recurring event is
/// planned in the same transaction. A repeated call returns the same result.
class CancelEvent {
public:
    CancelEvent(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    /// Errors: NotFound, OptimisticLock, InvalidStateTransition (claimed, COMPLETED, FAILED).
    [[nodiscard]] EventResult<Event> run(std::string_view id, std::optional<Version> expected,
                                         const Caller& caller);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
