#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/memory/table.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/endpoint_repository.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/idempotency_repository.hpp"
#include "application/ports/instance_repository.hpp"
#include "application/ports/outbox_progress.hpp"
#include "application/ports/outcome_queue.hpp"
#include "application/ports/session_repository.hpp"
#include "application/ports/stats_repository.hpp"
#include "application/ports/tz_repository.hpp"
#include "domain/api_key.hpp"
#include "domain/calendar.hpp"
#include "domain/checkpoint.hpp"
#include "domain/circuit.hpp"
#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/limits.hpp"
#include "domain/liveness.hpp"
#include "domain/lock.hpp"
#include "domain/operation.hpp"
#include "domain/outcome.hpp"
#include "domain/schedule.hpp"
#include "domain/stream.hpp"
#include "domain/user.hpp"

namespace sundial::memory {

/// The attempt that ended an event; empty for a cancelled one.
struct LastAttempt {
    std::optional<Claimant> settled_by;
    std::optional<Instant> started_at;
    std::chrono::microseconds duration{0};
    std::optional<int> status_code;
};

struct FinishedEvent {
    Event event;
    LastAttempt last_attempt;
};

struct KeyRow {
    EventId event;       // its current event
    bool free = false;   // a new event may take it over
    Attempt attempt{0};  // of the current event, once the key is free; else of the former one
};

struct AttemptKey {
    EventId event;
    Attempt number;
    friend auto operator<=>(const AttemptKey&, const AttemptKey&) = default;
};

struct AttemptRow {
    AttemptRecord record;
    Instant recorded_at;
};

struct FailureKey {
    OperationId operation;
    std::uint64_t number;
    friend auto operator<=>(const FailureKey&, const FailureKey&) = default;
};

struct InboxKey {
    EndpointId endpoint;
    Uuid id;
    friend auto operator<=>(const InboxKey&, const InboxKey&) = default;
};

struct MoveKey {
    EventId event;
    Version version;
    friend auto operator<=>(const MoveKey&, const MoveKey&) = default;
};

/// A version of a stream. Written once.
struct StreamPlace {
    StreamId stream;
    Version version;
    friend auto operator<=>(const StreamPlace&, const StreamPlace&) = default;
};

struct ParkedKey {
    std::string checkpoint;
    std::uint64_t position;
    friend auto operator<=>(const ParkedKey&, const ParkedKey&) = default;
};

/// A row of an application's outbox.
struct OutboxKey {
    std::string intake;
    std::int64_t id;
    friend auto operator<=>(const OutboxKey&, const OutboxKey&) = default;
};

/// An outcome in the queue of a follower.
struct OutcomeKey {
    std::string follower;
    std::uint64_t number;
    friend auto operator<=>(const OutcomeKey&, const OutcomeKey&) = default;
};

/// All stored data. Reads and changes require a Turn.
struct State {
    State(Clock& its_clock, std::uint32_t its_shards) : clock{its_clock}, shards{its_shards} {}

    std::recursive_mutex mutex;
    int turns = 0;                         // nested turns of the thread that holds the state
    std::atomic<std::thread::id> owner{};  // that thread
    Clock& clock;
    const std::uint32_t shards;
    Journal journal;
    Table<UserId, User> users{journal};
    Table<ScheduleId, Schedule> schedules{journal};
    Table<EndpointId, Endpoint> endpoints{journal};
    Table<EndpointId, Circuit> circuits{journal};
    Table<EndpointId, Limits> limits{journal};
    Table<InstanceId, Heartbeat> heartbeats{journal};
    Table<InstanceId, InstanceReport> instances{journal};
    Table<StatsKey, StatsRow> stats{journal};
    Table<std::string, BrowserSession> sessions{journal};  // by the hash of the token
    Table<OperationId, Operation> operations{journal};
    Table<ApiKeyId, ApiKey> api_keys{journal};
    Table<CalendarId, Calendar> calendars{journal};
    Table<FailureKey, OperationFailure> operation_failures{journal};
    Table<EventId, Event> live{journal};
    Table<EventId, FinishedEvent> history{journal};
    Table<IdempotencyKey, KeyRow> keys{journal};
    Table<AttemptKey, AttemptRow> attempts{journal};
    Table<InboxKey, InboxRequest> inbox{journal};
    Table<EndpointId, std::size_t> inbox_sizes{journal};
    Table<std::string, KnownClocks> clocks{journal};  // by release
    Table<MoveKey, EventMove> moves{journal};
    Table<std::uint64_t, RecordedEvent> recorded{journal};  // by position
    Table<StreamPlace, std::uint64_t> positions{journal};
    Table<Uuid, std::uint64_t> recorded_ids{journal};
    Table<StreamId, StreamHead> streams{journal};
    Table<StreamId, Snapshot> snapshots{journal};
    Table<std::string, Checkpoint> checkpoints{journal};
    Table<ParkedKey, ParkedEvent> parked{journal};
    Table<Uuid, SkippedRun> skips{journal};
    Table<std::string, Lock> locks{journal};
    Table<IdempotencyScope, IdempotencyRecord> idempotency{journal};
    Table<std::string, OutboxState> outboxes{journal};
    Table<OutboxKey, TakenRange> outbox_taken{journal};  // by first id
    Table<OutboxKey, RefusedRow> outbox_refused{journal};
    Table<std::string, std::vector<std::string>> outcome_followers{journal};  // their event types
    Table<OutcomeKey, EventId> outcome_queue{journal};
    std::uint64_t outcomes_numbered = 0;  // never reused, even after a rollback

    /// Moves an event to history, and into the queues of those that follow its type.
    void finish(FinishedEvent finished);
};

/// Exclusive access to the state for one transaction. Undone unless committed. A nested turn is
/// part of the outer one.
class Turn {
public:
    explicit Turn(State& state)
        : lock_{state.mutex}, state_{state}, begun_at_{state.journal.length()} {
        ++state_.turns;
        state_.owner = std::this_thread::get_id();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        if (!committed_) state_.journal.roll_back(begun_at_);
        if (--state_.turns > 0) return;
        state_.journal.clear();
        state_.owner = std::thread::id{};
    }
    void commit() { committed_ = true; }

private:
    std::lock_guard<std::recursive_mutex> lock_;
    State& state_;
    const std::size_t begun_at_;
    bool committed_ = false;
};

}  // namespace sundial::memory
