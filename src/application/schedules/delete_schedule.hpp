#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "application/audit/caller.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// Removes a schedule and cancels its events that nobody holds; what is claimed at that moment is
/// delivered as planned. Its history stays. A few events go in one transaction with their schedule,
/// more of them batch by batch, under a paused schedule; where that is cut short, the schedule is
/// there still, paused and at a new version, and can be deleted again.
class DeleteSchedule {
public:
    DeleteSchedule(Store& store, Ids& ids) : store_(store), ids_(ids) {}
    /// Errors: NotFound, OptimisticLock.
    [[nodiscard]] Result<void> run(std::string_view reference, std::optional<Version> expected,
                                   const Caller& caller);

private:
    Store& store_;
    Ids& ids_;
};

}  // namespace sundial
