#include "application/ports/idempotency_repository.hpp"

#include <memory>
#include <utility>

#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"

/// SQL statements for Idempotency-Keys. ?1 tenant, ?2 principal, ?3 key.
namespace sundial::sqlite::sql {

/// ?4 now.
inline constexpr Statement idempotency_record{R"sql(
    SELECT fingerprint, answer, sealed, steps_done, progress, attempt, leased_until, expires_at
      FROM idempotency_keys
     WHERE tenant = ?1 AND principal = ?2 AND key = ?3 AND expires_at > ?4)sql"};
/// ?4 and up: the other columns in order.
inline constexpr Statement put_idempotency_record{R"sql(
    INSERT OR REPLACE INTO idempotency_keys
        (tenant, principal, key, fingerprint, answer, sealed, steps_done, progress, attempt,
         leased_until, expires_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11))sql"};
inline constexpr Statement remove_idempotency_record{
    "DELETE FROM idempotency_keys WHERE tenant = ?1 AND principal = ?2 AND key = ?3"};
/// ?1 now, ?2 limit.
inline constexpr Statement remove_expired_idempotency_records{R"sql(
    DELETE FROM idempotency_keys WHERE (tenant, principal, key) IN (
        SELECT tenant, principal, key FROM idempotency_keys
         WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2))sql"};

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

class SqliteIdempotencyRepository final : public IdempotencyRepository {
public:
    explicit SqliteIdempotencyRepository(Session& session)
        : connection_{session.connection}, now_{session.now} {}
    /// Only one transaction writes at a time.
    bool try_lock(const IdempotencyScope& /*scope*/) override { return true; }

    std::optional<IdempotencyRecord> lock(const IdempotencyScope& scope) override {
        auto row = connection_.query(sql::idempotency_record, scope.tenant, scope.principal,
                                     scope.key, now_);
        if (!row.next()) return std::nullopt;
        IdempotencyRecord record{.scope = scope, .fingerprint = row.take<Bytes>().value};
        if (auto answer = row.take<std::optional<Bytes>>())
            record.answer = std::move(answer->value);
        record.sealed = row.take<bool>();
        record.steps_done = row.take<std::uint32_t>();
        record.progress = row.take<Bytes>().value;
        record.attempt = row.take<std::uint32_t>();
        record.leased_until = row.take<std::optional<Instant>>();
        record.expires_at = row.take<Instant>();
        return record;
    }

    void put(const IdempotencyRecord& record) override {
        const auto& [tenant, principal, key] = record.scope;
        const auto answer = record.answer ? std::optional{Bytes{*record.answer}} : std::nullopt;
        connection_.execute(sql::put_idempotency_record, tenant, principal, key,
                            Bytes{record.fingerprint}, answer, record.sealed, record.steps_done,
                            Bytes{record.progress}, record.attempt, record.leased_until,
                            record.expires_at);
    }

    void remove(const IdempotencyScope& scope) override {
        connection_.execute(sql::remove_idempotency_record, scope.tenant, scope.principal,
                            scope.key);
    }
    std::size_t remove_expired(std::size_t limit) override {
        return static_cast<std::size_t>(
            connection_.execute(sql::remove_expired_idempotency_records, now_, limit));
    }

private:
    Connection& connection_;
    Instant now_;
};

}  // namespace

std::unique_ptr<IdempotencyRepository> make_idempotency_repository(Session& session) {
    return std::make_unique<SqliteIdempotencyRepository>(session);
}

}  // namespace sundial::sqlite
