#include "adapters/postgres/lock_repository.hpp"

#include <utility>

#include "adapters/postgres/lock_statements.hpp"
#include "adapters/postgres/rows.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

std::vector<Lock> locks_in(const Answer& rows) {
    std::vector<Lock> locks;
    locks.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        locks.push_back({.name = rows.get<std::string>(row, 0),
                         .fencing_token = rows.get<FencingToken>(row, 1),
                         .token_hash = rows.get<Bytes>(row, 2).value,
                         .holder = rows.get<std::string>(row, 3),
                         .acquired_at = rows.get<Instant>(row, 4),
                         .expires_at = rows.get<Instant>(row, 5)});
    }
    return locks;
}

}  // namespace

Instant PostgresLockRepository::now() { return session_.run(sql::time_now).get<Instant>(0, 0); }

std::optional<Lock> PostgresLockRepository::find(const std::string& name) {
    return first_of(locks_in(session_.run(sql::find_lock, name)));
}

std::optional<Lock> PostgresLockRepository::lock_to_grant(const std::string& name) {
    const auto lock_row = [&] {
        return first_of(locks_in(session_.run(sql::lock_to_grant, name)));
    };
    if (auto row = lock_row()) return row;
    // If two transactions insert the row, the second would wait for the first.
    if (find(name) || !session_.run(sql::try_to_make_lock, name).get<bool>(0, 0)) {
        return std::nullopt;
    }
    session_.run(sql::add_lock, name);
    return lock_row();
}

Lock PostgresLockRepository::lock(const std::string& name) {
    auto row = first_of(locks_in(session_.run(sql::lock_lock, name)));
    if (!row) {
        session_.run(sql::add_lock, name);
        row = first_of(locks_in(session_.run(sql::lock_lock, name)));
    }
    return std::move(row).value();
}

std::optional<Lock> PostgresLockRepository::lock_to_renew(const std::string& name) {
    return first_of(locks_in(session_.run(sql::lock_to_renew, name)));
}

std::optional<Lock> PostgresLockRepository::guard(const std::string& name) {
    return first_of(locks_in(session_.run(sql::guard_lock, name)));
}

void PostgresLockRepository::update(const Lock& lock) {
    const auto written =
        session_.run(sql::update_lock, lock.name, lock.fencing_token, Bytes{lock.token_hash},
                     lock.holder, lock.acquired_at, lock.expires_at);
    base::check(written.changed() == 1);
}

Page<Lock> PostgresLockRepository::list(const LockQuery& query, Instant now) {
    Page<Lock> page{.items = locks_in(session_.run(sql::held_locks, now, query.prefix, query.after,
                                                   static_cast<std::int64_t>(query.limit + 1)))};
    page.has_more = page.items.size() > query.limit;
    if (page.has_more) page.items.pop_back();
    return page;
}

}  // namespace sundial::postgres
