#include "adapters/memory/store.hpp"

#include <array>
#include <utility>

#include "adapters/memory/ports.hpp"
#include "adapters/memory/state.hpp"
#include "application/transactions/transaction_of.hpp"
#include "base/check.hpp"

namespace sundial::memory {
namespace {

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
    : state_{std::make_unique<State>(clock, options.shards)},
      queue_{make_event_queue(*state_)},
      pull_queue_{make_pull_queue(*state_)},
      feed_{make_feed(*state_)} {
    base::check(options.shards > 0);
    const Schedule schedule = birthday(options.birthday_time, clock.now());
    state_->schedules.insert(schedule.id, schedule);
    state_->journal.clear();
}

MemoryStore::~MemoryStore() = default;

void MemoryStore::transact(const std::function<bool(Transaction&)>& work) {
    Turn turn{*state_};
    Session session{*state_, state_->clock.now()};
    TransactionOf<Session> transaction{session};
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

ManualClock::ManualClock(Instant now) : now_{now} {}

Instant ManualClock::now() {
    const std::lock_guard lock{mutex_};
    return now_;
}

Result<void, ClockNotTest, ValidationFailed> ManualClock::set(Instant now) {
    const std::lock_guard lock{mutex_};
    if (now < now_) return invalid("/now", "out_of_range", "the clock never moves backward");
    now_ = now;
    return {};
}

void ManualClock::advance(std::chrono::microseconds by) {
    const std::lock_guard lock{mutex_};
    now_ += by;
}

}  // namespace sundial::memory
