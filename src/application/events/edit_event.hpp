#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/audit/action_audit.hpp"
#include "application/events/target.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/results.hpp"
#include "domain/event.hpp"

namespace sundial {

/// The changes of an event; empty fields stay.
struct EventEdit {
    TargetFields target{};
    std::optional<std::string> payload{};
    Edit<std::string> endpoint{};  // id or ext:…
    std::optional<Priority> priority{};
    std::optional<bool> dismissed{};
    std::optional<std::string> note{};  // of a dismissal
};

/// Edits one event inside a transaction. Errors: as of EditEvent.
[[nodiscard]] EventResult<Event> edit_in(Transaction& tx, const TzData& zones, EventId id,
                                         const EventEdit& edit, std::optional<Version> expected,
                                         const ChangedBy& by,
                                         const EndpointKinds& kinds = no_endpoint_kinds);

/// Changes a PENDING event (target, payload, endpoint, priority), gives an endpoint to an event
/// that waits for one, or marks a FAILED event as dismissed. An edit that changes nothing makes no
/// new version and no entry in the event's audit stream.
class EditEvent {
public:
    EditEvent(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups,
              const EndpointKinds& kinds = no_endpoint_kinds)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups), kinds_(kinds) {}
    /// Errors: NotFound, OptimisticLock, ValidationFailed, InvalidStateTransition.
    [[nodiscard]] EventResult<Event> run(std::string_view id, const EventEdit& edit,
                                         std::optional<Version> expected, const Caller& caller);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
    const EndpointKinds& kinds_;
};

}  // namespace sundial
