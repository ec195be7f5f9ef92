#pragma once

#include "application/delivery/admit_events.hpp"
#include "application/delivery/deliver_event.hpp"
#include "application/delivery/handlers.hpp"
#include "application/delivery/judge_receivers.hpp"
#include "application/delivery/worker_loop.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/endpoint_kind.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/ids.hpp"
#include "application/ports/store.hpp"
#include "application/ports/time_zones.hpp"
#include "application/schedules/plan_successors.hpp"
#include "base/log.hpp"

namespace sundial {

/// The engine itself: claims due events, plans their successors, delivers and settles.
struct DeliveryModule {
    struct Ports {
        Store& store;  // without an observer: the worker reports its own changes
        EventQueue& queue;
        const TimeZones& zones;
        Ids& ids;
        Random& random;
        const MonotonicClock& monotonic;
        base::Log& log;
        EngineObserver& observer;
        const EndpointKinds& kinds;
        Delivery& in_process;
        const Handlers& handlers;
        SendPermit& permit;  // asked by `kinds` and `in_process`
        Presence& presence = no_presence;
        double trace_share = 1;  // sampled, of the traces that begin with an event
    };
    DeliveryModule(const Ports& p, const WorkerSettings& settings, const CircuitPolicy& circuit)
        : plan(p.store, p.zones, p.ids),
          deliver(p.store, p.zones, p.ids,
                  {.kinds = p.kinds,
                   .in_process = &p.in_process,
                   .handlers = p.handlers,
                   .trace_share = p.trace_share}),
          admit(p.store, p.random),
          judge(p.store, circuit),
          loop(settings, {.queue = p.queue,
                          .plan = plan,
                          .deliver = deliver,
                          .admit = admit,
                          .judge = judge,
                          .monotonic = p.monotonic,
                          .random = p.random,
                          .log = p.log,
                          .observer = p.observer,
                          .permit = p.permit,
                          .presence = p.presence}) {}

    PlanSuccessors plan;
    DeliverEvent deliver;
    AdmitEvents admit;
    JudgeReceivers judge;
    WorkerLoop loop;
};

}  // namespace sundial
