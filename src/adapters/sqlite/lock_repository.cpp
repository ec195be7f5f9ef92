#include <memory>
#include <string_view>

#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"
#include "application/ports/lock_store.hpp"
#include "base/check.hpp"

/// SQL statements for locks.
namespace sundial::sqlite::sql {

inline constexpr Statement find_lock{R"sql(
    SELECT name, fencing_token, token_hash, holder, acquired_at, expires_at
      FROM locks WHERE name = ?1)sql"};
/// Adds a lock that has never been held.
inline constexpr Statement add_lock{R"sql(
    INSERT INTO locks (name, fencing_token, token_hash, holder, acquired_at, expires_at)
    VALUES (?1, 0, x'', '', 0, 0) ON CONFLICT DO NOTHING)sql"};
/// ?1 to ?6: the columns in order.
inline constexpr Statement update_lock{R"sql(
    UPDATE locks
       SET fencing_token = ?2, token_hash = ?3, holder = ?4, acquired_at = ?5, expires_at = ?6
     WHERE name = ?1)sql"};
/// ?1 now, ?2 prefix of the name or null, ?3 the previous page's last name or null, ?4 limit.
inline constexpr Statement held_locks{R"sql(
    SELECT name, fencing_token, token_hash, holder, acquired_at, expires_at
      FROM locks
     WHERE token_hash <> x'' AND expires_at > ?1
       AND (?2 IS NULL OR substr(name, 1, length(?2)) = ?2)
       AND (?3 IS NULL OR name > ?3)
     ORDER BY name LIMIT ?4)sql"};

}  // namespace sundial::sqlite::sql

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

/// No other connection writes during a transaction, so there is nothing to lock.
class SqliteLockRepository final : public LockRepository {
public:
    explicit SqliteLockRepository(Session& session) : session_{session} {}
    Instant now() override { return session_.now; }
    std::optional<Lock> find(const std::string& name) override {
        return first_of(session_.connection.query(sql::find_lock, name), read_lock);
    }
    /// Only one transaction writes at a time.
    std::optional<Lock> lock_to_grant(const std::string& name) override { return lock(name); }

    Lock lock(const std::string& name) override {
        session_.connection.execute(sql::add_lock, name);
        auto row = find(name);
        base::check(row.has_value());
        return std::move(row).value();
    }

    std::optional<Lock> lock_to_renew(const std::string& name) override { return find(name); }
    std::optional<Lock> guard(const std::string& name) override { return find(name); }

    void update(const Lock& lock) override {
        const auto rows = session_.connection.execute(
            sql::update_lock, lock.name, lock.fencing_token, Bytes{lock.token_hash}, lock.holder,
            lock.acquired_at, lock.expires_at);
        base::check(rows == 1);
    }

    Page<Lock> list(const LockQuery& query, Instant now) override {
        Page<Lock> page{.items =
                            all_of(session_.connection.query(sql::held_locks, now, query.prefix,
                                                             query.after, query.limit + 1),
                                   read_lock)};
        page.has_more = page.items.size() > query.limit;
        if (page.has_more) page.items.pop_back();
        return page;
    }

private:
    Session& session_;
};

}  // namespace

std::unique_ptr<LockRepository> make_lock_repository(Session& session) {
    return std::make_unique<SqliteLockRepository>(session);
}

}  // namespace sundial::sqlite
