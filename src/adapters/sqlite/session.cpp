#include "adapters/sqlite/session.hpp"

#include <chrono>

#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/time.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
#include "application/ports/store.hpp"
#include "base/check.hpp"
#include "domain/enum_names.hpp"

namespace sundial::sqlite {
namespace {

constexpr EnumNames<standings> names{"PENDING",        "PENDING_PARKED", "CLAIMED", "WAITING",
                                     "WAITING_PARKED", "COMPLETED",      "FAILED",  "CANCELLED"};

}  // namespace

Standing standing_of(const Event& event) {
    const bool parked = event.claimable_at == never;
    if (status_of(event) == EventStatus::pending) {
        return parked ? Standing::pending_parked : Standing::pending;
    }
    if (is_claimed(event)) return Standing::claimed;
    if (is_final(event)) return standing_of_finished(status_of(event));
    return parked ? Standing::waiting_parked : Standing::waiting;
}

Standing standing_of_finished(EventStatus status) {
    switch (status) {
        case EventStatus::completed:
            return Standing::completed;
        case EventStatus::failed:
            return Standing::failed;
        default:
            base::check(status == EventStatus::cancelled);
            return Standing::cancelled;
    }
}

void Ledger::add(const Ledger& other) {
    for (std::size_t i = 0; i < standings; ++i) changes_[i] += other.changes_[i];
    leases_end_ = std::max(leases_end_, other.leases_end_);
    schema_changed_ = schema_changed_ || other.schema_changed_;
}

void Ledger::store(Connection& connection, Instant now) const {
    connection.execute(sql::raise_setting, std::string_view{"time"}, now);
    if (leases_end_ != Instant::min()) {
        connection.execute(sql::raise_setting, std::string_view{"leases_end"}, leases_end_);
    }
    for (std::size_t i = 0; i < standings; ++i) {
        if (changes_[i] != 0) connection.execute(sql::count_events, names[i], changes_[i]);
    }
}

std::array<std::uint64_t, standings> read_counts(Connection& connection) {
    std::array<std::uint64_t, standings> counts{};
    auto row = connection.query(sql::event_counts);
    while (row.next()) {
        const auto standing = find_in<Standing>(names, row.get<std::string>(0));
        if (!standing) throw Corrupt{"the database has counts of events in an unknown state"};
        const auto rows = row.get<std::int64_t>(1);
        counts[static_cast<std::size_t>(*standing)] =
            static_cast<std::uint64_t>(std::max<std::int64_t>(rows, 0));
    }
    return counts;
}

namespace {

using namespace std::chrono_literals;

constexpr auto reader_wait_limit = 5s;  // maximum wait for a free reader

/// A read transaction that ends with its scope.
class Snapshot {
public:
    explicit Snapshot(Connection& reader) : reader_{reader} { reader_.execute(sql::begin_read); }
    ~Snapshot() { reader_.roll_back(); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    Connection& reader_;
};

}  // namespace

Readers::Readers(const std::filesystem::path& file, std::size_t count, Time& time, Health& health)
    : time_{time}, health_{health} {
    for (std::size_t i = 0; i < count; ++i) {
        readers_.push_back(std::make_unique<Connection>(file, Connection::Role::reader));
        readers_.back()->report_to(health);
        free_.push_back(readers_.back().get());
    }
}

void Readers::run(const std::function<void(Session&)>& work) {
    health_.check();
    Connection& reader = take();
    const std::unique_ptr<Connection, std::function<void(Connection*)>> until_done{
        &reader, [this](Connection* used) { release(*used); }};
    const Snapshot snapshot{reader};
    Session session{reader, time_.now()};
    work(session);
}

Connection& Readers::take() {
    const bool may_take_all = SchedulerScope::is_open() || readers_.size() == 1;
    const std::size_t left = may_take_all ? 0 : 1;
    std::unique_lock lock{mutex_};
    if (!free_again_.wait_for(lock, reader_wait_limit, [&] { return free_.size() > left; })) {
        throw Unavailable{"all reading connections are busy"};
    }
    Connection* reader = free_.back();
    free_.pop_back();
    return *reader;
}

void Readers::release(Connection& reader) {
    {
        const std::lock_guard lock{mutex_};
        free_.push_back(&reader);
    }
    free_again_.notify_all();  // not every waiting thread may take it
}

}  // namespace sundial::sqlite
