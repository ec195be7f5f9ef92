#pragma once

#include <memory>

#include "application/ports/intake_repository.hpp"
#include "application/ports/store.hpp"

namespace sundial {

/// A transaction of an adapter. `Session` is the adapter's own open transaction. The adapter has a
/// function `now_of(session)`, and one that makes each repository: `make_user_repository(session)`
/// and so on; make_intake_repository() is optional. A repository is made at its first use.
template <class Session>
class TransactionOf final : public Transaction {
public:
    explicit TransactionOf(Session& session) : session_{session} {}

    Instant now() override { return now_of(session_); }
    UserRepository& users() override {
        return made(users_, [this] { return make_user_repository(session_); });
    }
    ScheduleRepository& schedules() override {
        return made(schedules_, [this] { return make_schedule_repository(session_); });
    }
    EndpointRepository& endpoints() override {
        return made(endpoints_, [this] { return make_endpoint_repository(session_); });
    }
    CircuitRepository& circuits() override {
        return made(circuits_, [this] { return make_circuit_repository(session_); });
    }
    LimitRepository& limits() override {
        return made(limits_, [this] { return make_limit_repository(session_); });
    }
    EventRepository& events() override {
        return made(events_, [this] { return make_event_repository(session_); });
    }
    InboxRepository& inbox() override {
        return made(inbox_, [this] { return make_inbox_repository(session_); });
    }
    SkipRepository& skips() override {
        return made(skips_, [this] { return make_skip_repository(session_); });
    }
    TzRepository& tz() override {
        return made(tz_, [this] { return make_tz_repository(session_); });
    }
    OperationRepository& operations() override {
        return made(operations_, [this] { return make_operation_repository(session_); });
    }
    ApiKeyRepository& api_keys() override {
        return made(api_keys_, [this] { return make_api_key_repository(session_); });
    }
    CalendarRepository& calendars() override {
        return made(calendars_, [this] { return make_calendar_repository(session_); });
    }
    EventStore& streams() override {
        return made(streams_, [this] { return make_event_store(session_); });
    }
    CheckpointStore& checkpoints() override {
        return made(checkpoints_, [this] { return make_checkpoint_store(session_); });
    }
    LockRepository& locks() override {
        return made(locks_, [this] { return make_lock_repository(session_); });
    }
    IdempotencyRepository& idempotency() override {
        return made(idempotency_, [this] { return make_idempotency_repository(session_); });
    }
    OutboxProgress& outboxes() override {
        return made(outboxes_, [this] { return make_outbox_progress(session_); });
    }
    OutcomeQueue& outcomes() override {
        return made(outcomes_, [this] { return make_outcome_queue(session_); });
    }
    InstanceRepository& instances() override {
        return made(instances_, [this] { return make_instance_repository(session_); });
    }
    StatsRepository& stats() override {
        return made(stats_, [this] { return make_stats_repository(session_); });
    }
    SessionRepository& sessions() override {
        return made(sessions_, [this] { return make_session_repository(session_); });
    }
    IntakeRepository* intake() override {
        if constexpr (requires(Session& session) { make_intake_repository(session); }) {
            return &made(intake_, [this] { return make_intake_repository(session_); });
        } else {
            return nullptr;
        }
    }
    void record(const RecordedEvent& recorded) override { streams().append({&recorded, 1}); }
    [[nodiscard]] Session& session() { return session_; }

private:
    template <class Port, class Make>
    static Port& made(std::unique_ptr<Port>& port, Make make) {
        if (!port) port = make();
        return *port;
    }

    Session& session_;
    std::unique_ptr<UserRepository> users_;
    std::unique_ptr<ScheduleRepository> schedules_;
    std::unique_ptr<EndpointRepository> endpoints_;
    std::unique_ptr<CircuitRepository> circuits_;
    std::unique_ptr<LimitRepository> limits_;
    std::unique_ptr<EventRepository> events_;
    std::unique_ptr<InboxRepository> inbox_;
    std::unique_ptr<SkipRepository> skips_;
    std::unique_ptr<TzRepository> tz_;
    std::unique_ptr<OperationRepository> operations_;
    std::unique_ptr<ApiKeyRepository> api_keys_;
    std::unique_ptr<CalendarRepository> calendars_;
    std::unique_ptr<EventStore> streams_;
    std::unique_ptr<CheckpointStore> checkpoints_;
    std::unique_ptr<LockRepository> locks_;
    std::unique_ptr<IdempotencyRepository> idempotency_;
    std::unique_ptr<OutboxProgress> outboxes_;
    std::unique_ptr<OutcomeQueue> outcomes_;
    std::unique_ptr<InstanceRepository> instances_;
    std::unique_ptr<StatsRepository> stats_;
    std::unique_ptr<SessionRepository> sessions_;
    std::unique_ptr<IntakeRepository> intake_;
};

}  // namespace sundial
