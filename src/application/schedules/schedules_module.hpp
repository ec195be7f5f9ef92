#pragma once

#include "application/operations/operations.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/module_ports.hpp"
#include "application/schedules/backfill_schedule.hpp"
#include "application/schedules/bulk_schedules.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/schedules/delete_schedule.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/schedules/list_occurrences.hpp"
#include "application/schedules/preview_schedule.hpp"
#include "application/schedules/trigger_schedule.hpp"

namespace sundial {

/// Schedules. An edit plans its events again, by an operation. Successors are planned by the
/// delivery module, at each claim.
struct SchedulesModule {
    SchedulesModule(const ModulePorts& p, Operations& operations,
                    const EndpointKinds& kinds = no_endpoint_kinds)
        : create(p.store, p.zones, p.ids, p.wakeups, operations, kinds),
          edit(p.store, p.zones, p.ids, operations, kinds),
          put(create, edit),
          remove(p.store, p.ids),
          trigger(p.store, p.zones, p.ids, p.wakeups, kinds),
          backfill(p.store, p.zones, p.ids, operations),
          bulk(p.store, p.ids, operations),
          preview(p.store, p.zones),
          list_occurrences(p.store, p.zones) {}
    SchedulesModule(const SchedulesModule&) = delete;
    SchedulesModule& operator=(const SchedulesModule&) = delete;

    CreateSchedule create;
    EditSchedule edit;
    PutSchedule put;
    DeleteSchedule remove;
    TriggerSchedule trigger;
    BackfillSchedule backfill;
    BulkSchedules bulk;
    PreviewSchedule preview;
    ListOccurrences list_occurrences;
};

}  // namespace sundial
