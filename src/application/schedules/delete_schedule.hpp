#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

namespace sundial {

/// One transaction of a deletion: cancels a batch of events of the locked `schedule`, and removes
/// it if no more are left. Otherwise the schedule is paused, so that none of its events is sent or
/// created, and the caller goes on with another transaction. Returns whether it is removed.
[[nodiscard]] bool delete_some_of(Transaction& tx, Ids& ids, const Schedule& schedule,
                                  const Caller& caller);

/// Removes a schedule and cancels its events that are not claimed. Events claimed at that moment
/// are delivered as planned. Its history stays. A few events are cancelled in one transaction with
/// the schedule; more of them are cancelled batch by batch, under a paused schedule. If that is
/// interrupted, the schedule still exists, paused and at a new version, and can be deleted again.
class DeleteSchedule {
public:
    DeleteSchedule(Store& store, Ids& ids) : store_(store), ids_(ids) {}
    /// Errors: NotFound, OptimisticLock.
    [[nodiscard]] ScheduleResult<void> run(std::string_view reference,
                                           std::optional<Version> expected, const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
};

}  // namespace sundial
