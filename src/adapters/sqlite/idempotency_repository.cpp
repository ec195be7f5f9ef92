#include "application/ports/idempotency_repository.hpp"

#include <memory>
#include <utility>

#include "adapters/sqlite/idempotency_sql.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/session.hpp"

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
