#pragma once

#include "application/operations/operations.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"

namespace sundial {

/// The task for each kind of operation. The arguments outlive it. Here alone `operations` knows the
/// modules that start operations.
[[nodiscard]] MakeOperationTask operation_tasks(Store& store, const TimeZones& zones, Ids& ids,
                                                Wakeups& wakeups);

}  // namespace sundial
