#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "application/ports/api_key_repository.hpp"
#include "application/ports/calendar_repository.hpp"
#include "application/ports/endpoint_repository.hpp"
#include "application/ports/event_repository.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/idempotency_repository.hpp"
#include "application/ports/instance_repository.hpp"
#include "application/ports/lock_store.hpp"
#include "application/ports/operation_repository.hpp"
#include "application/ports/outbox_progress.hpp"
#include "application/ports/outcome_queue.hpp"
#include "application/ports/schedule_repository.hpp"
#include "application/ports/session_repository.hpp"
#include "application/ports/stats_repository.hpp"
#include "application/ports/tz_repository.hpp"
#include "application/ports/user_repository.hpp"
#include "domain/error.hpp"
#include "domain/ids.hpp"

namespace sundial {

class IntakeRepository;  // ports/intake_repository.hpp

/// Marks this thread as the scheduler's, from construction to destruction: it claims, delivers,
/// settles or maintains. A storage with several connections keeps some for such threads, so that
/// requests cannot delay deliveries by using them all.
class SchedulerScope {
public:
    SchedulerScope() { ++depth_; }
    ~SchedulerScope() { --depth_; }
    SchedulerScope(const SchedulerScope&) = delete;
    SchedulerScope& operator=(const SchedulerScope&) = delete;

    [[nodiscard]] static bool is_open() { return depth_ > 0; }

private:
    inline static thread_local int depth_ = 0;
};

/// One transaction: all its changes become visible at once, or not at all. Not thread-safe; valid
/// only inside the call that provides it.
class Transaction {
public:
    virtual ~Transaction() = default;
    /// The database's clock, the same throughout the transaction.
    virtual Instant now() = 0;
    virtual UserRepository& users() = 0;
    virtual ScheduleRepository& schedules() = 0;
    virtual EndpointRepository& endpoints() = 0;
    virtual CircuitRepository& circuits() = 0;
    virtual LimitRepository& limits() = 0;
    virtual EventRepository& events() = 0;
    virtual InboxRepository& inbox() = 0;
    virtual SkipRepository& skips() = 0;
    virtual TzRepository& tz() = 0;
    virtual OperationRepository& operations() = 0;
    virtual ApiKeyRepository& api_keys() = 0;
    virtual CalendarRepository& calendars() = 0;
    virtual EventStore& streams() = 0;
    virtual CheckpointStore& checkpoints() = 0;
    virtual LockRepository& locks() = 0;
    virtual IdempotencyRepository& idempotency() = 0;
    virtual OutboxProgress& outboxes() = 0;
    virtual OutcomeQueue& outcomes() = 0;
    virtual InstanceRepository& instances() = 0;
    virtual StatsRepository& stats() = 0;
    virtual SessionRepository& sessions() = 0;
    /// Null if only this program writes into the storage.
    virtual IntakeRepository* intake() = 0;
    /// Appends the recorded event of a change to a locked row. The row then serves as the head of
    /// the stream.
    virtual void record(const RecordedEvent& recorded) = 0;
};

/// All persistent data. Thread-safe.
///
/// A transaction that begins inside the work of another one, on the same thread, is part of it. It
/// is undone alone if its own work returns false or throws; otherwise it commits with the outer
/// one. The same applies to the calls of the storage's other ports (EventQueue, PullQueue).
class Store {
public:
    virtual ~Store() = default;
    /// Runs `work` in one transaction. If `work` returns true and this call returns, the
    /// transaction is committed on stable storage. If `work` returns false or throws, nothing of it
    /// remains. `work` may run again after a conflict with another transaction, so it has no other
    /// effects. Throws Unavailable; then the outcome is unknown only if `work` had returned true.
    virtual void transact(const std::function<bool(Transaction&)>& work) = 0;
    /// The same for work that only reads. It sees one consistent snapshot.
    virtual void read(const std::function<void(Transaction&)>& work) = 0;
    /// Whether this thread is inside the work of a transaction. A transaction that begins then is
    /// part of it.
    [[nodiscard]] virtual bool open_here() = 0;
    /// Parts of a storage that is spread over machines; 1 if it is in one place. A transaction that
    /// changes events of one part commits in one phase, and fails only if that part's machine does.
    /// One that changes several parts commits in two phases, which need each of their machines.
    [[nodiscard]] virtual std::uint32_t parts() const { return 1; }
    /// The part of an event, and of the key for which its id was made.
    [[nodiscard]] std::uint32_t part_of(const EventId& id) const { return shard_of(id, parts()); }
    /// Appends `batch`, events of one stream without versions, in a transaction of its own. This is
    /// a shortcut that a store may offer, with the same results as `judge_append`. Empty, and
    /// nothing written, if the store has no shortcut or the append is refused; a transaction finds
    /// the reason. Throws Unavailable: repeating the call does no harm.
    [[nodiscard]] virtual std::optional<Appended> append_at_once(
        ExpectedVersion /*expected*/, std::span<const RecordedEvent> /*batch*/) {
        return std::nullopt;
    }
    /// A write was refused because its row or stream had another version than its caller expected.
    /// `operation` names the write in the metrics. Queues see their own refusals.
    virtual void conflicted(std::string_view /*operation*/) {}
};

/// The operation that a version conflict refused, as `conflicted` names it. Empty for other errors.
[[nodiscard]] std::optional<std::string_view> conflicting_operation(const Error& error);

/// Commits if `work` returns a value, rolls back if it returns an error.
template <class Work>
[[nodiscard]] auto in_transaction(Store& store, Work work)
    -> std::invoke_result_t<Work&, Transaction&> {
    std::optional<std::invoke_result_t<Work&, Transaction&>> result;
    store.transact([&](Transaction& tx) {
        result.emplace(work(tx));
        return result->has_value();
    });
    if (!*result) {
        if (const auto operation = conflicting_operation(result->error())) {
            store.conflicted(*operation);
        }
    }
    return std::move(*result);
}

/// The result of `work`.
template <class Work>
[[nodiscard]] auto in_read(Store& store, Work work) -> std::invoke_result_t<Work&, Transaction&> {
    std::optional<std::invoke_result_t<Work&, Transaction&>> result;
    store.read([&](Transaction& tx) { result.emplace(work(tx)); });
    return std::move(*result);
}

}  // namespace sundial
