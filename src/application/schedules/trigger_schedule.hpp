#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"

namespace sundial {

struct TriggerRequest {
    std::optional<std::string> user{};     // id or ext:…; required if the schedule is perUser
    std::optional<std::string> payload{};  // template, replaces the schedule's
};

/// Creates one event of a schedule that is due now, independent of its rule. It is not part of the
/// chain, and no policy drops it.
class TriggerSchedule {
public:
    TriggerSchedule(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups,
                    const EndpointKinds& kinds = no_endpoint_kinds)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups), kinds_(kinds) {}
    /// Errors: NotFound, ValidationFailed (/userId), InvalidTemplate.
    [[nodiscard]] ScheduleResult<Event> run(std::string_view reference,
                                            const TriggerRequest& request, const Caller& caller);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
    const EndpointKinds& kinds_;
};

}  // namespace sundial
