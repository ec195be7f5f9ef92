#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for Idempotency-Keys. $1 tenant, $2 principal, $3 key.
namespace sundial::postgres::sql {

/// Two scopes with the same hash only block each other. The first number, "SUNI", separates our
/// locks from those of other programs.
inline constexpr Statement try_lock_idempotency_key{"try_lock_idempotency_key", R"sql(
    SELECT pg_try_advisory_xact_lock(1398097481, hashtext($1 || chr(10) || $2 || chr(10) || $3)))sql"};
inline constexpr Statement lock_idempotency_record{"lock_idempotency_record", R"sql(
    SELECT fingerprint, answer, sealed, steps_done, progress, attempt, leased_until, expires_at
      FROM sundial.idempotency_keys
     WHERE tenant = $1 AND principal = $2 AND key = $3 AND expires_at > sundial.clock()
       FOR UPDATE)sql"};
/// $4 and up: the other columns in order. Returns the transaction id.
inline constexpr Statement put_idempotency_record{"put_idempotency_record", R"sql(
    INSERT INTO sundial.idempotency_keys
        (tenant, principal, key, fingerprint, answer, sealed, steps_done, progress, attempt,
         leased_until, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (tenant, principal, key) DO UPDATE
       SET fingerprint = excluded.fingerprint, answer = excluded.answer, sealed = excluded.sealed,
           steps_done = excluded.steps_done, progress = excluded.progress,
           attempt = excluded.attempt, leased_until = excluded.leased_until,
           expires_at = excluded.expires_at
    RETURNING pg_current_xact_id()::text)sql"};
/// Finds the record as transaction $4 wrote it.
inline constexpr Statement find_put_of_idempotency_record{"find_put_of_idempotency_record", R"sql(
    SELECT FROM sundial.idempotency_keys
     WHERE tenant = $1 AND principal = $2 AND key = $3 AND xmin = $4::xid8::xid)sql",
                                                          Statement::Plan::fresh};
inline constexpr Statement remove_idempotency_record{"remove_idempotency_record", R"sql(
    DELETE FROM sundial.idempotency_keys WHERE tenant = $1 AND principal = $2 AND key = $3)sql"};
/// $1 limit. The rows are chosen once: PostgreSQL may repeat a subquery for each row of a join.
inline constexpr Statement remove_expired_idempotency_records{"remove_expired_idempotency_records",
                                                              R"sql(
    WITH oldest AS MATERIALIZED (
        SELECT tenant, principal, key FROM sundial.idempotency_keys
         WHERE expires_at <= sundial.clock()
         ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    DELETE FROM sundial.idempotency_keys AS expired USING oldest
     WHERE expired.tenant = oldest.tenant AND expired.principal = oldest.principal
       AND expired.key = oldest.key)sql"};

}  // namespace sundial::postgres::sql
