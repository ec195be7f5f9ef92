#include "adapters/sqlite/store.hpp"

#include "adapters/sqlite/api_key_repository.hpp"
#include "adapters/sqlite/checkpoint_store.hpp"
#include "adapters/sqlite/circuit_repository.hpp"
#include "adapters/sqlite/endpoint_repository.hpp"
#include "adapters/sqlite/event_repository.hpp"
#include "adapters/sqlite/event_store.hpp"
#include "adapters/sqlite/idempotency_repository.hpp"
#include "adapters/sqlite/inbox_repository.hpp"
#include "adapters/sqlite/limit_repository.hpp"
#include "adapters/sqlite/lock_repository.hpp"
#include "adapters/sqlite/operation_repository.hpp"
#include "adapters/sqlite/readers.hpp"
#include "adapters/sqlite/schedule_repository.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/skip_repository.hpp"
#include "adapters/sqlite/tz_repository.hpp"
#include "adapters/sqlite/user_repository.hpp"
#include "adapters/sqlite/writer.hpp"

namespace sundial::sqlite {
namespace {

class SqliteTransaction final : public Transaction {
public:
    explicit SqliteTransaction(Session& session)
        : session_{session},
          users_{session},
          schedules_{session},
          endpoints_{session},
          circuits_{session},
          limits_{session},
          events_{session},
          inbox_{session},
          skips_{session},
          tz_{session},
          operations_{session},
          api_keys_{session},
          streams_{session},
          checkpoints_{session},
          locks_{session},
          idempotency_{session} {}

    Instant now() override { return session_.now; }
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
    SqliteUserRepository users_;
    SqliteScheduleRepository schedules_;
    SqliteEndpointRepository endpoints_;
    SqliteCircuitRepository circuits_;
    SqliteLimitRepository limits_;
    SqliteEventRepository events_;
    SqliteInboxRepository inbox_;
    SqliteSkipRepository skips_;
    SqliteTzRepository tz_;
    SqliteOperationRepository operations_;
    SqliteApiKeyRepository api_keys_;
    SqliteEventStore streams_;
    SqliteCheckpointStore checkpoints_;
    SqliteLockRepository locks_;
    SqliteIdempotencyRepository idempotency_;
};

}  // namespace

void SqliteStore::transact(const std::function<bool(Transaction&)>& work) {
    writer_.run([&](Session& session) {
        SqliteTransaction transaction{session};
        return work(transaction);
    });
}

void SqliteStore::read(const std::function<void(Transaction&)>& work) {
    const auto query = [&](Session& session) {
        SqliteTransaction transaction{session};
        work(transaction);
    };
    // Inside a transaction, a read must see its changes.
    if (Session* const open = writer_.open_here()) return query(*open);
    readers_.run(query);
}

bool SqliteStore::open_here() { return writer_.open_here() != nullptr; }

}  // namespace sundial::sqlite
