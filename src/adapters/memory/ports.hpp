#pragma once

#include <memory>

#include "adapters/memory/state.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/store.hpp"

/// Makes the ports over a state in RAM. Each is implemented in the file named after it.
namespace sundial::memory {

/// One open transaction.
struct Session {
    State& state;
    const Instant now;
};

// The repositories of one transaction.
inline Instant now_of(const Session& session) { return session.now; }
std::unique_ptr<UserRepository> make_user_repository(Session& session);
std::unique_ptr<ScheduleRepository> make_schedule_repository(Session& session);
std::unique_ptr<EndpointRepository> make_endpoint_repository(Session& session);
std::unique_ptr<CircuitRepository> make_circuit_repository(Session& session);
std::unique_ptr<LimitRepository> make_limit_repository(Session& session);
std::unique_ptr<EventRepository> make_event_repository(Session& session);
std::unique_ptr<InboxRepository> make_inbox_repository(Session& session);
std::unique_ptr<SkipRepository> make_skip_repository(Session& session);
std::unique_ptr<TzRepository> make_tz_repository(Session& session);
std::unique_ptr<OperationRepository> make_operation_repository(Session& session);
std::unique_ptr<ApiKeyRepository> make_api_key_repository(Session& session);
std::unique_ptr<CalendarRepository> make_calendar_repository(Session& session);
std::unique_ptr<EventStore> make_event_store(Session& session);
std::unique_ptr<CheckpointStore> make_checkpoint_store(Session& session);
std::unique_ptr<LockRepository> make_lock_repository(Session& session);
std::unique_ptr<IdempotencyRepository> make_idempotency_repository(Session& session);
std::unique_ptr<OutboxProgress> make_outbox_progress(Session& session);
std::unique_ptr<OutcomeQueue> make_outcome_queue(Session& session);
std::unique_ptr<InstanceRepository> make_instance_repository(Session& session);
std::unique_ptr<StatsRepository> make_stats_repository(Session& session);
std::unique_ptr<SessionRepository> make_session_repository(Session& session);

std::unique_ptr<EventQueue> make_event_queue(State& state);
std::unique_ptr<PullQueue> make_pull_queue(State& state);
std::unique_ptr<MeteredFeed> make_feed(State& state);

}  // namespace sundial::memory
