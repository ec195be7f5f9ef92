#pragma once

#include <functional>
#include <optional>
#include <span>
#include <type_traits>

#include "application/ports/api_key_repository.hpp"
#include "application/ports/checkpoint_store.hpp"
#include "application/ports/circuit_repository.hpp"
#include "application/ports/endpoint_repository.hpp"
#include "application/ports/event_repository.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/idempotency_repository.hpp"
#include "application/ports/inbox_repository.hpp"
#include "application/ports/limit_repository.hpp"
#include "application/ports/lock_repository.hpp"
#include "application/ports/operation_repository.hpp"
#include "application/ports/schedule_repository.hpp"
#include "application/ports/skip_repository.hpp"
#include "application/ports/tz_repository.hpp"
#include "application/ports/user_repository.hpp"

namespace sundial {

/// One transaction: all that is done through it becomes visible at once, or not at all. Not
/// thread-safe; valid only inside the call that handed it out.
class Transaction {
public:
    virtual ~Transaction() = default;
    /// The database's clock, the same all through the transaction.
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
    virtual EventStore& streams() = 0;
    virtual CheckpointStore& checkpoints() = 0;
    virtual LockRepository& locks() = 0;
    virtual IdempotencyRepository& idempotency() = 0;
    /// Appends the recorded event of a change of a row that is locked: the row is the stream's head
    /// then.
    virtual void record(const RecordedEvent& recorded) = 0;
};

/// Where everything is kept. Thread-safe.
///
/// A transaction that is begun inside the work of another one, on the same thread, is a part of
/// that: undone alone where its own work returns false or throws, else committed with the whole.
/// The same is true of what the other ports of a storage (EventQueue, PullQueue) do there.
class Store {
public:
    virtual ~Store() = default;
    /// Runs `work` in one transaction. Committed, on stable storage, when `work` returned true and
    /// this call returns; nothing of it remains when `work` returned false or threw. `work` may run
    /// again after a conflict with another transaction, so it has no other effects. Throws
    /// Unavailable; then the outcome is unknown only if `work` had returned true.
    virtual void transact(const std::function<bool(Transaction&)>& work) = 0;
    /// The same for work that only reads; it sees one moment of what is committed.
    virtual void read(const std::function<void(Transaction&)>& work) = 0;
    /// Whether this thread is inside the work of a transaction, so that what it begins is a part of
    /// that.
    [[nodiscard]] virtual bool open_here() = 0;
    /// Appends `batch`, events of one stream without versions, in a transaction of its own: the
    /// shorter way of a store that has one, to the same answers as `judge_append` gives. Empty, and
    /// nothing written, if it has none or if something stands against the append; a transaction
    /// tells what. Throws Unavailable: the same again does no harm.
    [[nodiscard]] virtual std::optional<Appended> append_at_once(
        ExpectedVersion /*expected*/, std::span<const RecordedEvent> /*batch*/) {
        return std::nullopt;
    }
};

/// Commits if `work` returns a value, rolls back if it returns an error.
template <class Work>
[[nodiscard]] auto in_transaction(Store& store, Work work)
    -> std::invoke_result_t<Work&, Transaction&> {
    std::optional<std::invoke_result_t<Work&, Transaction&>> result;
    store.transact([&](Transaction& tx) {
        result.emplace(work(tx));
        return result->has_value();
    });
    return std::move(*result);
}

/// What `work` returns.
template <class Work>
[[nodiscard]] auto in_read(Store& store, Work work) -> std::invoke_result_t<Work&, Transaction&> {
    std::optional<std::invoke_result_t<Work&, Transaction&>> result;
    store.read([&](Transaction& tx) { result.emplace(work(tx)); });
    return std::move(*result);
}

}  // namespace sundial
