#include "adapters/sqlite/idempotency_repository.hpp"

#include <utility>

#include "adapters/sqlite/idempotency_statements.hpp"

namespace sundial::sqlite {

std::optional<IdempotencyRecord> SqliteIdempotencyRepository::lock(const IdempotencyScope& scope) {
    auto row =
        connection_.query(sql::idempotency_record, scope.tenant, scope.principal, scope.key, now_);
    if (!row.next()) return std::nullopt;
    IdempotencyRecord record{.scope = scope, .fingerprint = row.take<Bytes>().value};
    if (auto answer = row.take<std::optional<Bytes>>()) record.answer = std::move(answer->value);
    record.sealed = row.take<bool>();
    record.steps_done = row.take<std::uint32_t>();
    record.progress = row.take<Bytes>().value;
    record.attempt = row.take<std::uint32_t>();
    record.leased_until = row.take<std::optional<Instant>>();
    record.expires_at = row.take<Instant>();
    return record;
}

void SqliteIdempotencyRepository::put(const IdempotencyRecord& record) {
    const auto& [tenant, principal, key] = record.scope;
    const auto answer = record.answer ? std::optional{Bytes{*record.answer}} : std::nullopt;
    connection_.execute(sql::put_idempotency_record, tenant, principal, key,
                        Bytes{record.fingerprint}, answer, record.sealed, record.steps_done,
                        Bytes{record.progress}, record.attempt, record.leased_until,
                        record.expires_at);
}

void SqliteIdempotencyRepository::remove(const IdempotencyScope& scope) {
    connection_.execute(sql::remove_idempotency_record, scope.tenant, scope.principal, scope.key);
}

std::size_t SqliteIdempotencyRepository::remove_expired(std::size_t limit) {
    return static_cast<std::size_t>(
        connection_.execute(sql::remove_expired_idempotency_records, now_, limit));
}

}  // namespace sundial::sqlite
