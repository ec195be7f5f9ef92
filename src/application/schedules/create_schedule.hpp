#pragma once

#include <optional>
#include <string>

#include "application/audit/caller.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/schedules/schedule_fields.hpp"

namespace sundial {

struct CreatedSchedule {
    Schedule schedule;
    /// Plans for every user; empty if the schedule is not perUser.
    std::optional<Operation> operation{};
};

/// Adds a schedule and plans its first event, strictly after now. Planning runs in the same
/// transaction or, for a perUser schedule, in an operation that is stored with it.
class CreateSchedule {
public:
    CreateSchedule(Store& store, const TimeZones& zones, Ids& ids, Wakeups& wakeups,
                   Operations& operations, const EndpointKinds& kinds = no_endpoint_kinds)
        : store_(store),
          zones_(zones),
          ids_(ids),
          wakeups_(wakeups),
          operations_(operations),
          kinds_(kinds) {}
    /// Under a fresh id, or the given one. Errors: ValidationFailed, InvalidTemplate,
    /// DuplicateExternalId.
    [[nodiscard]] ScheduleResult<CreatedSchedule> run(
        const ScheduleFields& requested, const Caller& caller,
        std::optional<ScheduleId> given = std::nullopt);

private:
    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Wakeups& wakeups_;
    Operations& operations_;
    const EndpointKinds& kinds_;
};

struct PutScheduleResult {
    EditedSchedule edited;
    bool created = false;
};

/// Creates or replaces the schedule of an external id.
class PutSchedule {
public:
    PutSchedule(CreateSchedule& create, EditSchedule& edit) : create_(create), edit_(edit) {}
    /// With `expected` it must exist. A new schedule gets `id`, if it is given. Errors: those of
    /// CreateSchedule and EditSchedule.
    [[nodiscard]] ScheduleResult<PutScheduleResult> run(
        const std::string& external_id, ScheduleFields requested, std::optional<Version> expected,
        const Caller& caller, std::optional<ScheduleId> id = std::nullopt);

private:
    CreateSchedule& create_;
    EditSchedule& edit_;
};

}  // namespace sundial
