#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/requests/results.hpp"
#include "application/schedules/schedule_fields.hpp"

namespace sundial {

struct EditedSchedule {
    Schedule schedule;
    std::optional<Operation> operation{};  // moves its events; empty if no event has to change
};

/// Stores an edit of a locked schedule, at the next version, with its recorded event. Returns
/// whether its events have to be planned again: the caller starts the operation that does. Nothing
/// happens if nothing differs.
[[nodiscard]] bool store_schedule_edit(Transaction& tx, Ids& ids, const Schedule& before,
                                       Schedule& after, const Caller& caller);

/// Changes a schedule and starts the operation that moves its PENDING events to the new rule, in
/// the same transaction. If there are few events, they have moved when this returns. An edit that
/// changes nothing makes no new version.
class EditSchedule {
public:
    EditSchedule(Store& store, const TimeZones& zones, Ids& ids, Operations& operations,
                 const EndpointKinds& kinds = no_endpoint_kinds)
        : store_(store), zones_(zones), ids_(ids), operations_(operations), kinds_(kinds) {}
    /// Empty fields of `edit` stay. Errors: NotFound, OptimisticLock, ValidationFailed (also for
    /// another external id or perUser, which never change), InvalidTemplate.
    [[nodiscard]] ScheduleResult<EditedSchedule> run(std::string_view reference,
                                                     const ScheduleFields& edit,
                                                     std::optional<Version> expected,
                                                     const Caller& caller);
    /// Empty fields of `replacement` return to their defaults. Errors: as above.
    [[nodiscard]] ScheduleResult<EditedSchedule> replace(std::string_view reference,
                                                         const ScheduleFields& replacement,
                                                         std::optional<Version> expected,
                                                         const Caller& caller);

private:
    using Change = std::function<ScheduleResult<Schedule>(Transaction&, const Schedule&)>;
    ScheduleResult<EditedSchedule> change(std::string_view reference, const Change& change,
                                          std::optional<Version> expected, const Caller& caller);

    Store& store_;
    const TimeZones& zones_;
    Ids& ids_;
    Operations& operations_;
    const EndpointKinds& kinds_;
};

}  // namespace sundial
