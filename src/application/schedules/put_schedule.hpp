#pragma once

#include <optional>
#include <string>

#include "application/audit/caller.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/schedules/edit_schedule.hpp"

namespace sundial {

struct PutScheduleResult {
    EditedSchedule edited;
    bool created = false;
};

/// Creates or replaces the schedule of an external id.
class PutSchedule {
public:
    PutSchedule(CreateSchedule& create, EditSchedule& edit) : create_(create), edit_(edit) {}
    /// With `expected` it must exist. Errors: those of CreateSchedule and EditSchedule.
    [[nodiscard]] Result<PutScheduleResult> run(const std::string& external_id,
                                                ScheduleFields wanted,
                                                std::optional<Version> expected,
                                                const Caller& caller);

private:
    CreateSchedule& create_;
    EditSchedule& edit_;
};

}  // namespace sundial
