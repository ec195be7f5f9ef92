#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "adapters/system/api_key_secrets.hpp"
#include "adapters/system/claim_log_file.hpp"
#include "adapters/system/digest.hpp"
#include "adapters/system/handler_delivery.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/lock_tokens.hpp"
#include "adapters/system/monotonic_clock.hpp"
#include "adapters/system/real_time.hpp"
#include "adapters/system/secret_box.hpp"
#include "adapters/webhook/address_rules.hpp"
#include "adapters/webhook/inbox_delivery.hpp"
#include "adapters/webhook/webhook_delivery.hpp"
#include "application/access/create_api_key.hpp"
#include "application/access/revoke_api_key.hpp"
#include "application/delivery/admit_events.hpp"
#include "application/delivery/advance_clock.hpp"
#include "application/delivery/both_wakeups.hpp"
#include "application/delivery/deliver_event.hpp"
#include "application/delivery/judge_receivers.hpp"
#include "application/delivery/tick.hpp"
#include "application/delivery/worker_loop.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/read_inbox.hpp"
#include "application/endpoints/reseal_secrets.hpp"
#include "application/endpoints/rotate_secret.hpp"
#include "application/endpoints/test_endpoint.hpp"
#include "application/endpoints/unpark_events.hpp"
#include "application/events/bulk_events.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/explain_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/idempotency/answer_once.hpp"
#include "application/locks/lock_waits.hpp"
#include "application/locks/locks.hpp"
#include "application/maintenance/forget_old.hpp"
#include "application/maintenance/maintenance.hpp"
#include "application/observation/logged_queue.hpp"
#include "application/observation/observed_pull_queue.hpp"
#include "application/observation/observed_queue.hpp"
#include "application/observation/observed_store.hpp"
#include "application/operations/operations.hpp"
#include "application/pull/pull_events.hpp"
#include "application/pull/pull_watch.hpp"
#include "application/pull/settle_pulled.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/backfill_schedule.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/schedules/delete_schedule.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/schedules/plan_successors.hpp"
#include "application/schedules/preview_schedule.hpp"
#include "application/schedules/put_schedule.hpp"
#include "application/schedules/trigger_schedule.hpp"
#include "application/streams/append_to_stream.hpp"
#include "application/streams/feed_watch.hpp"
#include "application/streams/keep_checkpoint.hpp"
#include "application/streams/keep_stream.hpp"
#include "application/streams/read_streams.hpp"
#include "application/timezones/survey_tzdata.hpp"
#include "application/transactions/wakeups_after_commit.hpp"
#include "application/users/create_user.hpp"
#include "application/users/delete_user.hpp"
#include "application/users/edit_user.hpp"
#include "application/users/put_user.hpp"
#include "server/engine.hpp"
#include "server/observers.hpp"
#include "sundial/single_flight.hpp"

namespace sundial::server {

/// The optional claim log, and the observers that write to it.
struct Claims {
    Claims(const std::string& file, InstanceId instance, EventQueue& queue,
           const MonotonicClock& monotonic, base::Log& log)
        : log_file(file, instance, log), logged(queue, monotonic, log_file), sends(log_file) {}
    system::ClaimLogFile log_file;
    LoggedQueue logged;
    LoggedSends sends;
};

/// Sends a test delivery the same way as the endpoint's events.
class ByEndpointType final : public Delivery {
public:
    ByEndpointType(Delivery& webhooks, Delivery& inbox) : webhooks_(webhooks), inbox_(inbox) {}
    void start(DeliveryRequest request, std::function<void(Outcome)> done) override {
        const bool to_inbox = request.endpoint && request.endpoint->type == EndpointType::inbox;
        (to_inbox ? inbox_ : webhooks_).start(std::move(request), std::move(done));
    }

private:
    Delivery& webhooks_;
    Delivery& inbox_;
};

/// All parts of an engine; each depends only on parts above it.
struct Engine::Parts {
    Parts(std::unique_ptr<Database> opened, const EngineParts& given);

    /// In the database, or on the lock server if one is configured.
    [[nodiscard]] std::unique_ptr<LockStore> open_lock_store();
    /// Number of held locks, counted up to a limit; empty if the lock server does not respond.
    [[nodiscard]] std::optional<std::size_t> locks_held();
    /// The jobs that one instance runs for all: see MaintenanceJob. With a test clock, which
    /// may move by years, retention does not run.
    [[nodiscard]] std::vector<MaintenanceJob> maintenance_jobs();
    [[nodiscard]] bool unpark_all();
    /// Runs before the first claim: events that became due while the process was down may have
    /// another due time with the current tz database.
    void follow_tzdata();
    /// After the encryption key has been replaced, or a version that did not seal everything.
    void reseal();
    [[nodiscard]] WorkerSettings worker_settings();
    [[nodiscard]] EventQueue& claimed_from();
    [[nodiscard]] EngineObserver& observed_by(EngineObserver& observer);

    const Settings& settings;
    const TimeZones& zones;
    base::Log& log;
    std::unique_ptr<Database> database;
    system::BootClock monotonic;
    ObservedStore store;  // observes changes by callers; the worker reports its own
    ObservedQueue queue;
    ObservedPullQueue pull_queue;
    system::SystemIds ids;
    system::SystemRandom random;
    InstanceId instance{ids.fresh()};
    std::unique_ptr<Claims> claims;  // null: no claim log
    Observers observers;
    system::SecretBox secrets;
    webhook::AddressRules addresses;
    webhook::UrlRules urls;
    webhook::WebhookDelivery webhooks;
    webhook::InboxDelivery inbox;
    system::HandlerDelivery in_process;
    PlanSuccessors plan;
    DeliverEvent deliver;
    AdmitEvents admit;
    JudgeReceivers judge;
    WorkerLoop loop;
    PullWatch watch;
    BothWakeups local_wakeups;
    std::unique_ptr<Wakeups> shared_wakeups;  // hints to other instances; null: there are none
    WakeupsAfterCommit commit_wakeups;
    Wakeups& wakeups;
    WakeupsAfterCommit watch_wakeups;
    PullEvents pull;
    SettlePulled settle_pulled;
    Operations operations;
    Tick tick;
    AdvanceClock advance;
    CreateUser create_user;
    EditUser edit_user;
    PutUser put_user;
    DeleteUser delete_user;
    ScheduleEvent schedule_event;
    EditEvent edit_event;
    CancelEvent cancel_event;
    RetryEvent retry_event;
    ExplainEvent explain_event;
    PreviewSchedule preview_schedule;
    CreateEndpoint create_endpoint;
    UnparkEvents unpark;
    EditEndpoint edit_endpoint;
    RotateSecret rotate_secret;
    ResealSecrets reseal_secrets;
    ByEndpointType test_deliveries;
    TestEndpoint test_endpoint;
    ReadInbox read_inbox;
    ClearInbox clear_inbox;
    EditSchedule edit_schedule;
    CreateSchedule create_schedule;
    PutSchedule put_schedule;
    DeleteSchedule delete_schedule;
    TriggerSchedule trigger_schedule;
    BackfillSchedule backfill_schedule;
    BulkEvents bulk_events;
    Queries queries;
    system::SystemApiKeySecrets key_secrets;
    ApiKeyRing keys;
    CreateApiKey create_api_key;
    RevokeApiKey revoke_api_key;
    FollowTzdata follow;
    SurveyTzdata survey;
    system::OpensslDigest digest;
    AppendToStream append_to_stream;
    KeepStream keep_stream;
    ReadStreams read_streams;
    KeepCheckpoint keep_checkpoint;
    FeedWatch feed_watch;
    AnswerOnce answer_once;
    http::KeyedAnswers keyed_answers;
    system::SystemLockTokens lock_tokens;
    LockWaits lock_waits;
    std::unique_ptr<LockStore> lock_store;
    Locks locks;
    ForgetOld forget_old;
    Maintenance maintenance;
    SingleFlight<std::monostate, std::string> scrapes;  // for /metrics
    std::thread worker;
    std::thread operations_worker;
    std::thread pull_watcher;
    std::thread feed_watcher;
    std::thread lock_watcher;
    std::thread maintainer;
};

}  // namespace sundial::server
