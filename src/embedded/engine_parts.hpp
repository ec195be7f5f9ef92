#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "adapters/system/handler_delivery.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/secrets.hpp"
#include "adapters/zones/cctz_time_zones.hpp"
#include "application/delivery/clock_module.hpp"
#include "application/delivery/delivery_module.hpp"
#include "application/endpoints/endpoints_module.hpp"
#include "application/events/events_module.hpp"
#include "application/intake/complete_intake.hpp"
#include "application/locks/locks_module.hpp"
#include "application/maintenance/maintenance.hpp"
#include "application/operations/operation_tasks.hpp"
#include "application/operations/operations.hpp"
#include "application/pull/pull_module.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/schedules_module.hpp"
#include "application/streams/streams_module.hpp"
#include "application/timezones/follow_tzdata.hpp"
#include "application/users/users_module.hpp"
#include "embedded/answers.hpp"
#include "embedded/call_checks.hpp"
#include "embedded/endpoints.hpp"
#include "embedded/parts.hpp"
#include "embedded/program_callbacks.hpp"
#include "embedded/queue_pools.hpp"
#include "embedded/storage.hpp"
#include "embedded/transactions.hpp"
#include "sundial/recording.hpp"

namespace sundial::embedding {

inline constexpr std::size_t most_threads = 256;
/// More than twice the events that all pools of handlers may hold, so that only the limits of the
/// pools restrict claims.
inline constexpr std::size_t slots = 64UL * most_threads;
/// Each webhook under way has a connection: half of the 1,024 files that a process may commonly
/// have open.
inline constexpr std::size_t slots_with_webhooks = 512;

/// Deletes expired answers of requests and, with `retention`, finished events after a server's
/// default retention, and keeps the index of finished events up to date.
[[nodiscard]] std::vector<MaintenanceJob> maintenance_jobs(Store& store, Retention* retention);

/// The adapters that a library needs, and the modules that its interface shows, each made from
/// those above it.
struct Engine::Parts {
    explicit Parts(const Options& options)
        : log(callbacks, options),
          zones(options.zoneinfo),
          storage(open_storage(options, log)),
          test_clock(options.test_clock),
          observer(callbacks, options, outcome_signal),
          stop_within(std::max(options.stop_within, std::chrono::microseconds{0})),
          secrets(open_secrets(options.webhooks)),
          kinds(endpoint_kinds(options.webhooks, store, ids, *secrets, monotonic, permit)),
          attempts(options.webhooks ? slots_with_webhooks : slots),
          in_process(handlers, monotonic,
                     std::clamp<std::size_t>(options.handler_threads, 1, most_threads), permit,
                     &log),
          maintains(options.maintenance),
          lock_store(open_lock_store(options, store)) {
        if (maintains) {
            clock.advance.run_first([this] { intake.run(); });
            // Events planned with an earlier tz database keep their local time.
            (void)FollowTzdata{store, zones, ids, delivery.loop}.run(Takeover::of_older);
        }
        // Events that came due without a handler: there may be one now.
        (void)UnparkEvents{store, delivery.loop}.run_handlers();
        try {
            watcher = std::thread([this] { wakeups.watch.run(); });
            feed_watcher = std::thread([this] { stream_store.watch.run(); });
        } catch (...) {  // no thread can be created now
            stop();
            throw;
        }
    }
    ~Parts() { stop(); }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// Calls `work`, unless this is a child of the engine's process. Keeps the parts until then,
    /// because a callback of the work may destroy the engine.
    template <class Public, class Work>
    static Result<Public> run(std::shared_ptr<Parts> parts, Work work) {
        return answered<Public>(parts->process, [&] { return work(*parts); });
    }

    /// Whether this thread is inside a function of the program that the engine waits for.
    [[nodiscard]] bool in_callback() { return callbacks.running_here() || store.open_here(); }

    /// From any thread.
    void request_stop() {
        operations.shut_down();
        wakeups.intake.stop();
        delivery.loop.stop();
        wakeups.watch.stop();
        stream_store.watch.stop();
        locks.waits.stop();
        maintenance.stop();
        in_process.request_stop();
        queue_pools.request_stop();
    }
    /// The same, and waits for the threads. Not from a callback.
    void stop() {
        request_stop();
        queue_pools.stop_handlers_after(stop_within);
        const std::lock_guard lock(joining);
        if (maintainer.joinable()) maintainer.join();
        if (watcher.joinable()) watcher.join();
        if (feed_watcher.joinable()) feed_watcher.join();
        if (operations_worker.joinable()) operations_worker.join();
        if (intake_worker.joinable()) intake_worker.join();
        in_process.stop(stop_within);  // the loop still runs and settles the results
        queue_pools.join();
        if (worker.joinable()) worker.join();
        auto& departing = streams->departing;
        for (auto left = departing.load(); left > 0; left = departing) departing.wait(left);
    }

    const OwnProcess process;
    const Callbacks callbacks;
    CallbackLog log;
    zones::CctzTimeZones zones;
    std::unique_ptr<Storage> storage;
    const bool test_clock;
    Store& store = storage->store();
    EventQueue& queue = storage->queue();
    system::SystemIds ids;
    InstanceId instance{ids.fresh()};
    system::SystemRandom random;
    system::BootClock monotonic;
    Handlers handlers;
    OutcomeSignal outcome_signal;
    CallbackObserver observer;
    const std::chrono::microseconds stop_within;
    SendPermit permit;
    std::unique_ptr<Secrets> secrets;
    EndpointKinds kinds;
    const std::size_t attempts;  // under way at once
    system::HandlerDelivery in_process;
    const bool maintains;  // the whole database
    const std::unique_ptr<LockStore> lock_store;
    system::OpensslDigest digest;
    system::SystemLockTokens lock_tokens;

    DeliveryModule delivery{{.store = store,
                             .queue = queue,
                             .zones = zones,
                             .ids = ids,
                             .random = random,
                             .monotonic = monotonic,
                             .log = log,
                             .observer = observer,
                             .kinds = kinds,
                             .in_process = in_process,
                             .handlers = handlers,
                             .permit = permit},
                            {.instance = instance,
                             .shards = queue.shards(),
                             .claims_at_once = queue.claims_at_once(),
                             .slots = attempts,
                             .clock_stands_still = test_clock},
                            CircuitPolicy{}};
    WakeupsModule wakeups{{.loop = delivery.loop,
                           .pull_queue = storage->pull_queue(),
                           .monotonic = monotonic,
                           .log = log},
                          {.tick = std::chrono::seconds{1}, .clock_stands_still = test_clock}};
    const ModulePorts ports{.instance = instance,
                            .store = store,
                            .zones = zones,
                            .ids = ids,
                            .random = random,
                            .monotonic = monotonic,
                            .wakeups = wakeups.everywhere,
                            .log = log};
    Queries queries{store};
    PullModule pull{ports,
                    {.pull_queue = storage->pull_queue(),
                     .queue = queue,
                     .delivery = delivery,
                     .wakeups = wakeups,
                     .observer = observer}};
    Operations operations{{.instance = instance},
                          {.store = store,
                           .ids = ids,
                           .wakeups = ports.wakeups,
                           .monotonic = monotonic,
                           .log = log,
                           .make_task = operation_tasks(store, zones, ids, ports.wakeups)}};
    ClockModule clock{storage->clock(), queue, operations, delivery.loop};
    UsersModule users{ports};
    EventsModule events{ports, operations};
    SchedulesModule schedules{ports, operations};
    CompleteIntake intake{{.store = store,
                           .zones = zones,
                           .ids = ids,
                           .wakeups = ports.wakeups,
                           .log = log,
                           .put_schedule = schedules.put,
                           .delete_schedule = schedules.remove}};
    EndpointsModule endpoints{ports, kinds, *secrets};
    StreamsModule stream_store{{.store = store,
                                .feed = storage->feed(),
                                .digest = digest,
                                .monotonic = monotonic,
                                .log = log},
                               std::chrono::seconds{1}};
    LocksModule locks{
        {.store = *lock_store, .tokens = lock_tokens, .random = random, .monotonic = monotonic}};
    Maintenance maintenance{{.locks = locks.locks, .monotonic = monotonic, .log = log},
                            "engine " + to_string(instance),
                            maintenance_jobs(store, storage->retention())};
    TransactionPorts transactions{.process = process,
                                  .storage = *storage,
                                  .queue = queue,
                                  .ids = ids,
                                  .random = random,
                                  .instance = instance,
                                  .events = events,
                                  .users = users,
                                  .settle = pull.settle,
                                  .append = stream_store.append,
                                  .watch = stream_store.watch,
                                  .digest = digest};
    std::shared_ptr<Streams::Parts> streams = std::make_shared<Streams::Parts>(
        process, callbacks, store, storage->feed(), storage->feed_meter(), ids, log, stream_store,
        transactions);
    QueuePools queue_pools{callbacks, monotonic, log};
    std::mutex joining;  // held by the thread that joins those below
    std::thread worker;
    std::thread operations_worker;
    std::thread intake_worker;
    std::thread maintainer;
    std::thread watcher;
    std::thread feed_watcher;
};

}  // namespace sundial::embedding
