#include <memory>
#include <utility>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/lock_sql.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "application/ports/lock_store.hpp"
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

class PostgresLockRepository final : public LockRepository {
public:
    explicit PostgresLockRepository(Session& session) : session_{session} {}
    Instant now() override { return session_.run(sql::time_now).get<Instant>(0, 0); }
    std::optional<Lock> find(const std::string& name) override {
        return first_of(locks_in(session_.run(sql::find_lock, name)));
    }

    std::optional<Lock> lock_to_grant(const std::string& name) override {
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

    Lock lock(const std::string& name) override {
        auto row = first_of(locks_in(session_.run(sql::lock_lock, name)));
        if (!row) {
            session_.run(sql::add_lock, name);
            row = first_of(locks_in(session_.run(sql::lock_lock, name)));
        }
        return std::move(row).value();
    }

    std::optional<Lock> lock_to_renew(const std::string& name) override {
        return first_of(locks_in(session_.run(sql::lock_to_renew, name)));
    }
    std::optional<Lock> guard(const std::string& name) override {
        return first_of(locks_in(session_.run(sql::guard_lock, name)));
    }

    void update(const Lock& lock) override {
        const auto written =
            session_.run(sql::update_lock, lock.name, lock.fencing_token, Bytes{lock.token_hash},
                         lock.holder, lock.acquired_at, lock.expires_at);
        base::check(written.changed() == 1);
    }

    Page<Lock> list(const LockQuery& query, Instant now) override {
        Page<Lock> page{.items =
                            locks_in(session_.run(sql::held_locks, now, query.prefix, query.after,
                                                  static_cast<std::int64_t>(query.limit + 1)))};
        page.has_more = page.items.size() > query.limit;
        if (page.has_more) page.items.pop_back();
        return page;
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<LockRepository> make_lock_repository(Session& session) {
    return std::make_unique<PostgresLockRepository>(session);
}

}  // namespace sundial::postgres
