#pragma once

#include "application/operations/operation_task.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/time_zones.hpp"
#include "application/ports/wakeups.hpp"

namespace sundial {

/// The task for each kind of operation. The arguments outlive it.
[[nodiscard]] MakeOperationTask operation_tasks(Store& store, const TimeZones& zones, Ids& ids,
                                                Wakeups& wakeups);

}  // namespace sundial
