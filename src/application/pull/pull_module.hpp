#pragma once

#include "application/delivery/delivery_module.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/module_ports.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/settle_pulled.hpp"
#include "application/pull/wakeups_module.hpp"

namespace sundial {

/// Claims and reports of pull workers.
struct PullModule {
    struct Ports {
        PullQueue& pull_queue;
        EventQueue& queue;
        DeliveryModule& delivery;
        WakeupsModule& wakeups;
        EngineObserver& observer;
    };
    PullModule(const ModulePorts& p, const Ports& own)
        : watch(own.wakeups.watch),
          pull(p.instance, {.store = p.store,
                            .pull_queue = own.pull_queue,
                            .queue = own.queue,
                            .plan = own.delivery.plan,
                            .deliver = own.delivery.deliver,
                            .monotonic = p.monotonic,
                            .random = p.random,
                            .log = p.log,
                            .observer = own.observer,
                            .wakeups = p.wakeups}),
          settle({.store = p.store,
                  .queue = own.queue,
                  .random = p.random,
                  .log = p.log,
                  .observer = own.observer,
                  .wakeups = own.wakeups.to_pull_workers}) {}

    PullWatch& watch;
    PullEvents pull;
    SettlePulled settle;
};

}  // namespace sundial
