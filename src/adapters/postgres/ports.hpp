#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "adapters/postgres/database.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/intake_repository.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/retention.hpp"
#include "application/ports/store.hpp"

/// Makes the ports on a PostgreSQL database. Each is implemented in the file named after it.
namespace sundial::postgres {

// The repositories of one transaction.
inline Instant now_of(Session& session) { return session.now(); }
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
std::unique_ptr<IntakeRepository> make_intake_repository(Session& session);

std::unique_ptr<Store> make_store(Database& database);
/// A peek that reads `many` pages makes claims use floors (claim_floors.hpp).
std::unique_ptr<EventQueue> make_event_queue(Database& database, std::uint64_t many);
std::unique_ptr<PullQueue> make_pull_queue(Database& database);
std::unique_ptr<MeteredFeed> make_feed(Database& database);
std::unique_ptr<Retention> make_retention(Database& database);
/// Reads sundial.clock().
std::unique_ptr<Clock> make_clock(Database& database, bool is_test);

/// Appends in one round trip; see `Store::append_at_once`.
[[nodiscard]] std::optional<Appended> append_at_once(Database& database, ExpectedVersion expected,
                                                     std::span<const RecordedEvent> batch);

}  // namespace sundial::postgres
