#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/events/target.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"
#include "application/requests/edits.hpp"
#include "domain/event.hpp"

namespace sundial {

/// What to change of an event; what is empty stays.
struct EventEdit {
    TargetFields target{};
    std::optional<std::string> payload{};
    Edit<std::string> endpoint{};  // id or ext:…
    std::optional<Priority> priority{};
    std::optional<bool> dismissed{};
};

/// The same for one event, inside a transaction. Errors: as of EditEvent.
[[nodiscard]] Result<Event> edit_in(Transaction& tx, const TzData& zones, EventId id,
                                    const EventEdit& edit, std::optional<Version> expected);

/// Changes what is still PENDING (target, payload, endpoint, priority), gives an endpoint to what
/// waits for one, or marks what FAILED as dismissed. An edit that changes nothing makes no new
/// version.
class EditEvent {
public:
    EditEvent(Store& store, const TimeZones& zones, Wakeups& wakeups)
        : store_(store), zones_(zones), wakeups_(wakeups) {}
    /// Errors: NotFound, OptimisticLock, ValidationFailed, InvalidStateTransition.
    [[nodiscard]] Result<Event> run(std::string_view id, const EventEdit& edit,
                                    std::optional<Version> expected);

private:
    Store& store_;
    const TimeZones& zones_;
    Wakeups& wakeups_;
};

}  // namespace sundial
