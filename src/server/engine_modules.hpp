#pragma once

#include <memory>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/http/api/live_hub.hpp"
#include "adapters/http/keyed_answers.hpp"
#include "application/access/access_module.hpp"
#include "application/calendars/calendars_module.hpp"
#include "application/delivery/clock_module.hpp"
#include "application/delivery/delivery_module.hpp"
#include "application/endpoints/endpoints_module.hpp"
#include "application/events/events_module.hpp"
#include "application/idempotency/answer_once.hpp"
#include "application/instances/instances_module.hpp"
#include "application/intake/complete_intake.hpp"
#include "application/locks/locks_module.hpp"
#include "application/maintenance/maintenance.hpp"
#include "application/observation/recorder.hpp"
#include "application/operations/operations.hpp"
#include "application/pings/pings.hpp"
#include "application/pull/pull_module.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/schedules_module.hpp"
#include "application/stats/stats_module.hpp"
#include "application/streams/streams_module.hpp"
#include "application/timezones/timezones_module.hpp"
#include "application/users/users_module.hpp"
#include "server/engine.hpp"
#include "server/outboxes.hpp"
#include "server/platform.hpp"
#include "sundial/single_flight.hpp"

namespace sundial::server {

/// The modules of an engine, each made from those above it. A new use case changes its module; a
/// new module adds a line here and in engine_modules.cpp, and one for its routes in
/// engine_routes.cpp.
struct Engine::Modules {
    Modules(std::unique_ptr<Database> opened, const EngineParts& given);

    /// The jobs that one instance runs for all: see MaintenanceJob. With a test clock, which
    /// may move by years, retention does not run.
    [[nodiscard]] std::vector<MaintenanceJob> maintenance_jobs();
    [[nodiscard]] bool unpark_all();
    /// Runs before the first claim: events that became due while the process was down may have
    /// another due time with the current tz database.
    void follow_tzdata();
    [[nodiscard]] ReportInstance::Facts facts_at(Instant now) const;
    /// The roles of each instance that has reported lately and is not about to end.
    [[nodiscard]] std::vector<std::vector<std::string>> running_roles();
    /// Stores what this instance counted last. After the worker has ended.
    void end_recording();
    /// After the encryption key has been replaced, or a version that did not seal everything.
    void reseal();

    Platform platform;
    DeliveryModule delivery;
    WakeupsModule wakeups;
    const ModulePorts ports;
    Queries queries;
    PullModule pull;
    Operations operations;
    ClockModule clock;
    UsersModule users;
    EventsModule events;
    EndpointsModule endpoints;
    SchedulesModule schedules;
    CompleteIntake intake;
    Outboxes outboxes;
    AccessModule access;
    CalendarsModule calendars;
    TimezonesModule timezones;
    StreamsModule streams;
    AnswerOnce answer_once;
    http::KeyedAnswers keyed_answers;
    LocksModule locks;
    ForgetOld forget_old;
    InstancesModule instances;
    StatsModule stats;
    Pings pings;
    Recorder recorder;
    std::shared_ptr<http::LiveHub> live;
    Maintenance maintenance;
    SingleFlight<std::monostate, std::string> scrapes;  // for /metrics
    std::thread worker;
    std::thread operations_worker;
    std::thread intake_worker;
    std::thread pull_watcher;
    std::thread feed_watcher;
    std::thread lock_watcher;
    std::thread maintainer;
    std::thread recording;
    std::thread pinger;
    std::thread live_sender;
};

}  // namespace sundial::server
