#pragma once

#include <optional>
#include <string>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"
#include "application/target.hpp"
#include "domain/event.hpp"

namespace sundial {

/// A single event as asked for.
struct NewEvent {
    std::string event_type{};
    Priority priority = Priority::normal;
    std::optional<std::string> user{};      // id or ext:…
    std::optional<std::string> endpoint{};  // id or ext:…; none: a handler in the process
    TargetFields target{};
    std::string payload = "{}";  // exact bytes, sent unchanged
    std::optional<std::string> idempotency_key{};
};

/// Stores one event. A target in the past is due at once.
class ScheduleEvent {
public:
    ScheduleEvent(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups) {}
    /// Errors: ValidationFailed (pointers /targetTimestampLocal, /userId, /endpointId, …),
    /// DuplicateIdempotencyKey.
    [[nodiscard]] Result<Event> run(const NewEvent& wanted);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
};

}  // namespace sundial
