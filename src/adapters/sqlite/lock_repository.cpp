#include "adapters/sqlite/lock_repository.hpp"

#include <string_view>

#include "adapters/sqlite/lock_statements.hpp"
#include "adapters/sqlite/rows.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

Lock read_lock(Cursor& row) {
    return {.name = row.take<std::string>(),
            .fencing_token = row.take<FencingToken>(),
            .token_hash = row.take<Bytes>().value,
            .holder = row.take<std::string>(),
            .acquired_at = row.take<Instant>(),
            .expires_at = row.take<Instant>()};
}

}  // namespace

std::optional<Lock> SqliteLockRepository::find(const std::string& name) {
    return first_of(session_.connection.query(sql::find_lock, name), read_lock);
}

Lock SqliteLockRepository::lock(const std::string& name) {
    session_.connection.execute(sql::add_lock, name);
    auto row = find(name);
    base::check(row.has_value());
    return std::move(row).value();
}

void SqliteLockRepository::update(const Lock& lock) {
    const auto rows = session_.connection.execute(sql::update_lock, lock.name, lock.fencing_token,
                                                  Bytes{lock.token_hash}, lock.holder,
                                                  lock.acquired_at, lock.expires_at);
    base::check(rows == 1);
}

Page<Lock> SqliteLockRepository::list(const LockQuery& query, Instant now) {
    Page<Lock> page{.items = all_of(session_.connection.query(sql::held_locks, now, query.prefix,
                                                              query.after, query.limit + 1),
                                    read_lock)};
    page.has_more = page.items.size() > query.limit;
    if (page.has_more) page.items.pop_back();
    return page;
}

}  // namespace sundial::sqlite
