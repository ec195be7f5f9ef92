#include "adapters/memory/store.hpp"

#include <array>
#include <utility>

#include "adapters/memory/api_key_repository.hpp"
#include "adapters/memory/checkpoint_store.hpp"
#include "adapters/memory/circuit_repository.hpp"
#include "adapters/memory/endpoint_repository.hpp"
#include "adapters/memory/event_repository.hpp"
#include "adapters/memory/event_store.hpp"
#include "adapters/memory/idempotency_repository.hpp"
#include "adapters/memory/inbox_repository.hpp"
#include "adapters/memory/limit_repository.hpp"
#include "adapters/memory/lock_repository.hpp"
#include "adapters/memory/operation_repository.hpp"
#include "adapters/memory/schedule_repository.hpp"
#include "adapters/memory/skip_repository.hpp"
#include "adapters/memory/state.hpp"
#include "adapters/memory/tz_repository.hpp"
#include "adapters/memory/user_repository.hpp"
#include "base/check.hpp"

namespace sundial::memory {
namespace {

class MemoryTransaction final : public Transaction {
public:
    explicit MemoryTransaction(State& state)
        : now_{state.clock.now()},
          users_{state},
          schedules_{state},
          endpoints_{state},
          circuits_{state},
          limits_{state},
          events_{state, now_},
          inbox_{state},
          skips_{state},
          tz_{state},
          operations_{state},
          api_keys_{state},
          streams_{state, now_},
          checkpoints_{state},
          locks_{state},
          idempotency_{state, now_} {}

    Instant now() override { return now_; }
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
    Instant now_;
    MemoryUserRepository users_;
    MemoryScheduleRepository schedules_;
    MemoryEndpointRepository endpoints_;
    MemoryCircuitRepository circuits_;
    MemoryLimitRepository limits_;
    MemoryEventRepository events_;
    MemoryInboxRepository inbox_;
    MemorySkipRepository skips_;
    MemoryTzRepository tz_;
    MemoryOperationRepository operations_;
    MemoryApiKeyRepository api_keys_;
    MemoryEventStore streams_;
    MemoryCheckpointStore checkpoints_;
    MemoryLockRepository locks_;
    MemoryIdempotencyRepository idempotency_;
};

Schedule birthday(TimeOfDay at, Instant now) {
    constexpr std::array<std::uint8_t, 16> id{0x01, 0x99, 0, 0, 0, 0, 0x70, 0,
                                              0x80, 0,    0, 0, 0, 0, 0,    0x01};
    return {.id = ScheduleId{Uuid{id}},
            .external_id = "birthday",
            .event_type = "BIRTHDAY",
            .note = std::nullopt,
            .trigger = YearlyTrigger{.on = "dateOfBirth", .at = at},
            .timezone = std::nullopt,
            .endpoint = std::nullopt,
            .payload = R"({"message":"Hey, {firstName} {lastName} it's your birthday"})",
            .starts_at = std::nullopt,
            .ends_at = std::nullopt,
            .created_at = now,
            .updated_at = now};
}

}  // namespace

MemoryStore::MemoryStore(Clock& clock, const MemoryOptions& options)
    : state_{std::make_shared<State>(clock, options.shards)} {
    base::check(options.shards > 0);
    const Schedule schedule = birthday(options.birthday_time, clock.now());
    state_->schedules.insert(schedule.id, schedule);
    state_->journal.clear();
}

MemoryStore::~MemoryStore() = default;

void MemoryStore::transact(const std::function<bool(Transaction&)>& work) {
    Turn turn{*state_};
    MemoryTransaction transaction{*state_};
    if (work(transaction)) turn.commit();
}

void MemoryStore::read(const std::function<void(Transaction&)>& work) {
    transact([&](Transaction& transaction) {
        work(transaction);
        return false;
    });
}

bool MemoryStore::open_here() { return state_->owner == std::this_thread::get_id(); }

std::vector<RecordedEvent> MemoryStore::recorded() const {
    const Turn turn{*state_};
    std::vector<RecordedEvent> all;
    for (const auto& [position, recorded] : state_->recorded.rows()) all.push_back(recorded);
    return all;
}

}  // namespace sundial::memory
