#include "adapters/sqlite/session.hpp"

#include <algorithm>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
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

}  // namespace sundial::sqlite
