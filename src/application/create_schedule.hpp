#pragma once

#include <string>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"
#include "application/replan_schedule.hpp"
#include "application/schedule_fields.hpp"

namespace sundial {

/// Adds a schedule and plans its first event, strictly after now: in the same transaction, or, of
/// one that runs for each user, through all users batch by batch.
class CreateSchedule {
public:
    CreateSchedule(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups,
                   ReplanSchedule& replan)
        : store_(store), zones_(zones), ids_(ids), wakeups_(wakeups), replan_(replan) {}
    /// Errors: ValidationFailed, InvalidTemplate, DuplicateExternalId.
    [[nodiscard]] Result<Schedule> run(const ScheduleFields& wanted,
                                       const std::string& correlation_id);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
    ReplanSchedule& replan_;
};

}  // namespace sundial
