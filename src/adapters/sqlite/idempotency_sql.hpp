#pragma once

#include "adapters/sqlite/statement.hpp"

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
