#include "adapters/postgres/store.hpp"

#include "adapters/postgres/api_key_repository.hpp"
#include "adapters/postgres/checkpoint_store.hpp"
#include "adapters/postgres/circuit_repository.hpp"
#include "adapters/postgres/endpoint_repository.hpp"
#include "adapters/postgres/event_repository.hpp"
#include "adapters/postgres/event_store.hpp"
#include "adapters/postgres/idempotency_repository.hpp"
#include "adapters/postgres/inbox_repository.hpp"
#include "adapters/postgres/limit_repository.hpp"
#include "adapters/postgres/lock_repository.hpp"
#include "adapters/postgres/operation_repository.hpp"
#include "adapters/postgres/schedule_repository.hpp"
#include "adapters/postgres/skip_repository.hpp"
#include "adapters/postgres/tz_repository.hpp"
#include "adapters/postgres/user_repository.hpp"

namespace sundial::postgres {
namespace {

class PostgresTransaction final : public Transaction {
public:
    explicit PostgresTransaction(Session& session) : session_{session} {}

    Instant now() override { return session_.now(); }
    UserRepository& users() override { return users_; }
    ScheduleRepository& schedules() override { return schedules_; }
    EndpointRepository& endpoints() override { return endpoints_; }
    CircuitRepository& circuits() override { return circuits_; }
    LimitRepository& limits() override { return limits_; }
    EventRepository& events() override { return events_; }
    InboxRepository& inbox() override { return inbox_; }
    SkipRepository& skips() override { return skips_; }
    TzRepository& tz() override { return tz_; }
    OperationRepository& operations() override { return operations_; }
    ApiKeyRepository& api_keys() override { return api_keys_; }
    EventStore& streams() override { return streams_; }
    CheckpointStore& checkpoints() override { return checkpoints_; }
    LockRepository& locks() override { return locks_; }
    IdempotencyRepository& idempotency() override { return idempotency_; }
    void record(const RecordedEvent& recorded) override { streams_.append({&recorded, 1}); }

private:
    Session& session_;
    PostgresUserRepository users_{session_};
    PostgresScheduleRepository schedules_{session_};
    PostgresEndpointRepository endpoints_{session_};
    PostgresCircuitRepository circuits_{session_};
    PostgresLimitRepository limits_{session_};
    PostgresEventRepository events_{session_};
    PostgresInboxRepository inbox_{session_};
    PostgresSkipRepository skips_{session_};
    PostgresTzRepository tz_{session_};
    PostgresOperationRepository operations_{session_};
    PostgresApiKeyRepository api_keys_{session_};
    PostgresEventStore streams_{session_};
    PostgresCheckpointStore checkpoints_{session_};
    PostgresLockRepository locks_{session_};
    PostgresIdempotencyRepository idempotency_{session_};
};

}  // namespace

void PostgresStore::transact(const std::function<bool(Transaction&)>& work) {
    database_.write("transact", [&](Session& session) {
        PostgresTransaction transaction{session};
        return work(transaction);
    });
}

void PostgresStore::read(const std::function<void(Transaction&)>& work) {
    database_.read("read", [&](Session& session) {
        PostgresTransaction transaction{session};
        work(transaction);
    });
}

std::optional<Appended> PostgresStore::append_at_once(ExpectedVersion expected,
                                                      std::span<const RecordedEvent> batch) {
    return postgres::append_at_once(database_, expected, batch);
}

}  // namespace sundial::postgres
