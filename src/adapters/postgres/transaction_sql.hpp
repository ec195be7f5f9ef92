#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL of transactions and sessions: begin and end, settings of each transaction, the clock, hints.
namespace sundial::postgres::sql {

inline constexpr Statement begin_write{"begin_write",
                                       "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"};
/// One snapshot for all reads. The transaction is rolled back at the end. Row locks are allowed in
/// it.
inline constexpr Statement begin_read{"begin_read",
                                      "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE"};
inline constexpr Statement commit{"commit", "COMMIT", Statement::Plan::fresh};
inline constexpr Statement rollback{"rollback", "ROLLBACK", Statement::Plan::fresh};
/// A transaction inside another.
inline constexpr Statement savepoint{"savepoint", "SAVEPOINT part", Statement::Plan::fresh};
inline constexpr Statement release_savepoint{"release_savepoint", "RELEASE part",
                                             Statement::Plan::fresh};
inline constexpr Statement rollback_to_savepoint{"rollback_to_savepoint", "ROLLBACK TO part",
                                                 Statement::Plan::fresh};

/// The id of the transaction, as evidence that it committed (database.hpp).
inline constexpr Statement transaction_id{"transaction_id", "SELECT pg_current_xact_id()::text"};
/// A transaction holds a lock on its own id until its outcome is visible to all. $1 transaction id.
inline constexpr Statement still_runs{"still_runs", R"sql(
    SELECT FROM pg_catalog.pg_locks
     WHERE locktype = 'transactionid' AND transactionid = $1::xid8::xid AND granted)sql",
                                      Statement::Plan::fresh};

/// Shows whether there is a pooler (the process is then not the one that the connection reported),
/// and whether the server is a standby.
inline constexpr Statement backend_identity{
    "who_answers", "SELECT pg_backend_pid(), pg_is_in_recovery()", Statement::Plan::fresh};

/// Transaction-local settings, because a session may belong to a pooler. Returns the time, the
/// server's start time, its timeline, which must not be older than the one seen before, and, if it
/// is another server, its system identifier.
/// $1 statement_timeout, $2 lock_timeout, $3 idle_in_transaction_session_timeout, in milliseconds;
/// of the server seen before: $4 start time, $5 timeline, $6 system.
inline constexpr Statement configure{"configure", R"sql(
    SELECT set_config('statement_timeout', $1, true),
           set_config('lock_timeout', $2, true),
           set_config('idle_in_transaction_session_timeout', $3, true),
           sundial.clock(),
           (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
           sundial.timeline($5, $6),
           CASE WHEN $4 <> (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
                THEN sundial.system_identifier() END)sql"};

/// The same, and forces plans that use indexes whatever the statistics say: a claim must not sort
/// or scan a table that was never analysed, or that has grown a thousandfold since. One generic
/// plan is kept, since planning each call took longer than claiming one event.
inline constexpr Statement configure_queue{"configure_queue", R"sql(
    SELECT set_config('statement_timeout', $1, true),
           set_config('lock_timeout', $2, true),
           set_config('idle_in_transaction_session_timeout', $3, true),
           sundial.clock(),
           (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint,
           sundial.timeline($5, $6),
           CASE WHEN $4 <> (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint
                THEN sundial.system_identifier() END,
           set_config('enable_seqscan', 'off', true),
           set_config('enable_bitmapscan', 'off', true),
           set_config('enable_hashjoin', 'off', true),
           set_config('enable_mergejoin', 'off', true),
           set_config('enable_sort', 'off', true),
           set_config('plan_cache_mode', 'force_generic_plan', true),
           set_config('jit', 'off', true))sql"};

/// After configure_queue on a distributed database: Citus makes no generic plans, and answers
/// "could not create distributed plan".
inline constexpr Statement plan_for_values{"plan_for_values", R"sql(
    SELECT set_config('plan_cache_mode', 'auto', true))sql"};

/// The database and its cluster; 0 if the role may not read the cluster's.
inline constexpr Statement database_name{
    "database_name", "SELECT current_database()::text, sundial.system_identifier()",
    Statement::Plan::fresh};
/// Before calls in a transaction of the program: sets their limits, and returns the clock, the
/// database with its cluster, and the program's own limits, which are read before they change.
/// $1 statement_timeout, $2 lock_timeout, in milliseconds.
inline constexpr Statement join_callers{"join_callers", R"sql(
    WITH its AS MATERIALIZED (
        SELECT current_setting('statement_timeout') AS for_statements,
               current_setting('lock_timeout') AS for_locks)
    SELECT sundial.clock(), current_database()::text, sundial.system_identifier(),
           its.for_statements, its.for_locks,
           set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)
      FROM its)sql",
                                        Statement::Plan::fresh};
/// After them. $1 statement_timeout, $2 lock_timeout.
inline constexpr Statement restore_limits{"restore_limits", R"sql(
    SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true))sql",
                                          Statement::Plan::fresh};
/// The other settings of configure_queue, before it runs in a transaction of the program.
inline constexpr Statement callers_settings{"callers_settings", R"sql(
    SELECT jsonb_object_agg(name, current_setting(name))::text
      FROM unnest(ARRAY['idle_in_transaction_session_timeout', 'enable_seqscan',
                        'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_sort',
                        'plan_cache_mode', 'jit']) AS name)sql",
                                            Statement::Plan::fresh};
/// After it. $1 the settings.
inline constexpr Statement restore_settings{"restore_settings", R"sql(
    SELECT set_config(key, value, true) FROM jsonb_each_text($1::text::jsonb))sql",
                                            Statement::Plan::fresh};

/// Hints between instances. Only on a dedicated connection, because the session is what listens.
inline constexpr Statement listen{"listen", "LISTEN sundial_wake", Statement::Plan::fresh};
inline constexpr Statement notify{"notify", "NOTIFY sundial_wake", Statement::Plan::fresh};

/// Moves a test clock to $1, never back.
inline constexpr Statement set_clock{"set_clock",
                                     "UPDATE sundial.test_clock SET now = $1 WHERE now <= $1"};

}  // namespace sundial::postgres::sql
