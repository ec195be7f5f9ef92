#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "application/delivery/delivery_module.hpp"
#include "application/intake/intake_signal.hpp"
#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/module_ports.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/pull_watch.hpp"
#include "application/pull/settle_pulled.hpp"
#include "application/transactions/after_commit.hpp"
#include "base/log.hpp"

namespace sundial {

/// Forwards each hint to both.
class BothWakeups final : public Wakeups {
public:
    BothWakeups(Wakeups& one, Wakeups& other) : one_(one), other_(other) {}
    void due_at(Instant when) override {
        one_.due_at(when);
        other_.due_at(when);
    }

private:
    Wakeups& one_;
    Wakeups& other_;
};

/// Forwards hints that an event is due to the worker loop, to waiting pull workers and to other
/// instances; a hint from outside also wakes the intake. Hints are held back until the transaction
/// that stores the event has committed.
struct WakeupsModule {
    struct Ports {
        Wakeups& loop;
        PullQueue& pull_queue;
        const MonotonicClock& monotonic;
        base::Log& log;
    };
    struct Settings {
        std::chrono::microseconds tick;
        bool clock_stands_still = false;
        /// Makes the sender of hints to `local` and to other instances; null without other
        /// instances.
        std::function<std::unique_ptr<Wakeups>(Wakeups& local)> share{};
    };
    WakeupsModule(const Ports& p, const Settings& settings)
        : watch(p.pull_queue, p.monotonic, p.log, settings.tick, settings.clock_stands_still),
          workers(p.loop, watch),
          local(workers, intake),
          shared(settings.share ? settings.share(local) : nullptr),
          everywhere(shared ? *shared : local),
          to_pull_workers(watch) {}
    WakeupsModule(const WakeupsModule&) = delete;
    WakeupsModule& operator=(const WakeupsModule&) = delete;

    PullWatch watch;
    IntakeSignal intake;
    BothWakeups workers;
    BothWakeups local;
    std::unique_ptr<Wakeups> shared;
    WakeupsAfterCommit everywhere;
    WakeupsAfterCommit to_pull_workers;  // of this instance
};

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
