#pragma once

#include "application/events/bulk_events.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/explain_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/module_ports.hpp"

namespace sundial {

/// The actions of callers on events: on one, or on many by an operation.
struct EventsModule {
    EventsModule(const ModulePorts& p, Operations& operations,
                 const EndpointKinds& kinds = no_endpoint_kinds)
        : schedule(p.store, p.zones, p.ids, p.wakeups, kinds, p.tracer),
          edit(p.store, p.zones, p.ids, p.wakeups, kinds),
          cancel(p.store, p.zones, p.ids, p.wakeups),
          retry(p.store, p.ids, p.wakeups),
          explain(p.store, p.zones),
          bulk(p.store, p.zones, p.ids, operations, p.log) {}

    ScheduleEvent schedule;
    EditEvent edit;
    CancelEvent cancel;
    RetryEvent retry;
    ExplainEvent explain;
    BulkEvents bulk;
};

}  // namespace sundial
