#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/replan_schedule.hpp"
#include "application/schedule_fields.hpp"

namespace sundial {

struct EditedSchedule {
    Schedule schedule;
    Replanned replanned;
};

/// Changes a schedule, then brings its PENDING events to the new rule, batch by batch. An edit that
/// changes nothing makes no new version.
class EditSchedule {
public:
    EditSchedule(Store& store, const TimeZones& zones, Ids& ids, ReplanSchedule& replan)
        : store_(store), zones_(zones), ids_(ids), replan_(replan) {}
    /// What `edit` leaves empty stays. Errors: NotFound, OptimisticLock, ValidationFailed (also for
    /// another external id or perUser, which never change), InvalidTemplate.
    [[nodiscard]] Result<EditedSchedule> run(std::string_view reference, const ScheduleFields& edit,
                                             std::optional<Version> expected,
                                             const std::string& correlation_id);
    /// What `wanted` leaves empty has its default again. Errors: as above.
    [[nodiscard]] Result<EditedSchedule> replace(std::string_view reference,
                                                 const ScheduleFields& wanted,
                                                 std::optional<Version> expected,
                                                 const std::string& correlation_id);

private:
    using Change = std::function<Result<Schedule>(Transaction&, const Schedule&)>;
    Result<EditedSchedule> change(std::string_view reference, const Change& change,
                                  std::optional<Version> expected,
                                  const std::string& correlation_id);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    ReplanSchedule& replan_;
};

}  // namespace sundial
