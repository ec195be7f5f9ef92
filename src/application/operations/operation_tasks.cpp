#include "application/operations/operation_tasks.hpp"

#include <memory>

#include "application/events/bulk_events.hpp"
#include "application/schedules/backfill_schedule.hpp"
#include "application/schedules/bulk_schedules.hpp"
#include "application/schedules/replan_schedule.hpp"
#include "base/check.hpp"

namespace sundial {

MakeOperationTask operation_tasks(Store& store, const TimeZones& zones, Ids& ids,
                                  Wakeups& wakeups) {
    return [&store, &zones, &ids,
            &wakeups](const Operation& operation) -> std::unique_ptr<OperationTask> {
        switch (operation.kind) {
            case OperationKind::plan_schedule:
            case OperationKind::replan_schedule:
                return std::make_unique<ReplanSchedule>(store, zones, ids, wakeups);
            case OperationKind::backfill_schedule:
                return std::make_unique<BackfillTask>(zones, ids);
            case OperationKind::bulk:
                if (is_schedule_bulk(operation.request.value())) {
                    return std::make_unique<ScheduleBulkTask>(zones, ids);
                }
                return std::make_unique<BulkTask>(zones, ids);
        }
        base::check(false);
        return nullptr;
    };
}

}  // namespace sundial
