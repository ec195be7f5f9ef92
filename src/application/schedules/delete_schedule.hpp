#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"

namespace sundial {

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
