#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for locks. Columns in order: name, fencing_token, token_hash, holder,
/// acquired_at, expires_at.
namespace sundial::postgres::sql {

inline constexpr Statement find_lock{"find_lock", "SELECT * FROM sundial.locks WHERE name = $1"};
/// For a grant: skips a lock that another transaction guards or grants.
inline constexpr Statement lock_to_grant{
    "lock_to_grant", "SELECT * FROM sundial.locks WHERE name = $1 FOR UPDATE SKIP LOCKED"};
/// Whether this transaction may insert the row. Uses the same lock as sundial.try_lock.
inline constexpr Statement try_to_make_lock{
    "try_to_make_lock", "SELECT pg_try_advisory_xact_lock(1398099532, hashtext($1))"};
/// For a guard: waits for other transactions.
inline constexpr Statement lock_lock{"lock_lock",
                                     "SELECT * FROM sundial.locks WHERE name = $1 FOR UPDATE"};
/// For the holder's own changes: does not wait for transactions that guard the lock.
inline constexpr Statement lock_to_renew{
    "lock_to_renew", "SELECT * FROM sundial.locks WHERE name = $1 FOR NO KEY UPDATE"};
inline constexpr Statement guard_lock{"guard_lock",
                                      "SELECT * FROM sundial.locks WHERE name = $1 FOR KEY SHARE"};
/// Adds a lock that has never been held. Does nothing if another transaction was faster.
inline constexpr Statement add_lock{"add_lock", R"sql(
    INSERT INTO sundial.locks (name, fencing_token, token_hash, holder, acquired_at, expires_at)
    VALUES ($1, 0, '', '', 'epoch', 'epoch') ON CONFLICT DO NOTHING)sql"};
/// $1 to $6: the columns in order.
inline constexpr Statement update_lock{"update_lock", R"sql(
    UPDATE sundial.locks
       SET fencing_token = $2, token_hash = $3, holder = $4, acquired_at = $5, expires_at = $6
     WHERE name = $1)sql"};
/// $1 now, $2 prefix of the name or null, $3 the previous page's last name or null, $4 limit.
inline constexpr Statement held_locks{"held_locks", R"sql(
    SELECT * FROM sundial.locks
     WHERE token_hash <> '' AND expires_at > $1
       AND ($2::text IS NULL OR starts_with(name, $2))
       AND ($3::text IS NULL OR name > $3)
     ORDER BY name LIMIT $4)sql",
                                      Statement::Plan::fresh};
/// A session's advisory lock by name, independent of all other locks. The settings last as long as
/// the session. $1 how long to wait, in milliseconds.
#define SUNDIAL_SESSION_LOCK "(1398099521, hashtext($1))"  // "SUNA"
inline constexpr Statement keep_session{"keep_session", R"sql(
    SELECT set_config('lock_timeout', $1, false), set_config('statement_timeout', '0', false),
           set_config('idle_session_timeout', '0', false))sql"};
/// $1 name.
inline constexpr Statement try_session_lock{"try_session_lock",
                                            "SELECT pg_try_advisory_lock" SUNDIAL_SESSION_LOCK};
inline constexpr Statement wait_for_session_lock{
    "wait_for_session_lock", "SELECT pg_advisory_lock" SUNDIAL_SESSION_LOCK "::text"};
inline constexpr Statement release_session_lock{"release_session_lock",
                                                "SELECT pg_advisory_unlock" SUNDIAL_SESSION_LOCK};
#undef SUNDIAL_SESSION_LOCK

/// The current time, even if this transaction has waited for a lock.
inline constexpr Statement time_now{"time_now", "SELECT sundial.clock()"};

}  // namespace sundial::postgres::sql
