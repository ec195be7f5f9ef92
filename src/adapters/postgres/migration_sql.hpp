#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for startup: migrations, and checks before the first transaction.
namespace sundial::postgres::sql {

/// Held until the transaction ends. The number identifies the lock: arbitrary, but fixed.
inline constexpr Statement lock_migrations{"lock_migrations", R"sql(
    SELECT pg_advisory_xact_lock(5138008126424531)::text)sql"};
/// Limits the wait for another instance that migrates. Migrations themselves have no time limit.
inline constexpr Statement wait_for_lock{"wait_for_lock", R"sql(
    SELECT set_config('lock_timeout', '60000', true), set_config('statement_timeout', '0', true))sql"};

inline constexpr Statement has_migrations{"has_migrations", R"sql(
    SELECT to_regclass('sundial.schema_migrations') IS NOT NULL)sql"};
inline constexpr Statement make_schema{"make_schema", "CREATE SCHEMA IF NOT EXISTS sundial"};
inline constexpr Statement make_migrations{"make_migrations", R"sql(
    CREATE TABLE IF NOT EXISTS sundial.schema_migrations (
        version    integer     PRIMARY KEY,
        name       text        NOT NULL,
        checksum   text        NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT statement_timestamp()))sql"};
inline constexpr Statement applied_migrations{"applied_migrations", R"sql(
    SELECT version, name, checksum FROM sundial.schema_migrations ORDER BY version)sql"};
/// $1 scripts, in order.
inline constexpr Statement checksums{"checksums", R"sql(
    SELECT encode(sha256(convert_to(text, 'UTF8')), 'hex')
      FROM unnest($1::text[]) WITH ORDINALITY AS given(text, ordinal) ORDER BY ordinal)sql"};
inline constexpr Statement add_migration{"add_migration", R"sql(
    INSERT INTO sundial.schema_migrations (version, name, checksum) VALUES ($1, $2, $3))sql"};
/// Settings that a migration may read. $1 shards, $2 birthday time.
inline constexpr Statement give_settings{"give_settings", R"sql(
    SELECT set_config('sundial.shards', $1, true), set_config('sundial.birthday_time', $2, true))sql"};

inline constexpr Statement server_encoding{"server_encoding", R"sql(
    SELECT current_setting('server_encoding'))sql"};
inline constexpr Statement shards{"shards", R"sql(
    SELECT value::integer FROM sundial.settings WHERE name = 'shards')sql"};
/// Whether the extension citus is there, and then whether it distributes events (ADR 0070).
inline constexpr Statement knows_parts{"knows_parts", R"sql(
    SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)sql"};
inline constexpr Statement events_are_distributed{"events_are_distributed", R"sql(
    SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition
                    WHERE logicalrelid = 'sundial.events'::regclass))sql"};
inline constexpr Statement make_history_partitions{"make_history_partitions", R"sql(
    SELECT sundial.make_history_partitions()::text)sql"};
/// Server settings that allow a commit to be lost.
inline constexpr Statement unsafe_settings{"unsafe_settings", R"sql(
    SELECT name || ' = ' || setting FROM pg_settings
     WHERE (name IN ('fsync', 'full_page_writes') AND setting = 'off')
        OR (name = 'synchronous_commit' AND setting NOT IN ('on', 'remote_apply')))sql"};

inline constexpr Statement has_test_clock{"has_test_clock", R"sql(
    SELECT EXISTS (SELECT FROM sundial.test_clock))sql"};
inline constexpr Statement has_work{"has_work", R"sql(
    SELECT EXISTS (SELECT 1 FROM sundial.users) OR EXISTS (SELECT 1 FROM sundial.events)
        OR EXISTS (SELECT 1 FROM sundial.event_history))sql"};
inline constexpr Statement start_test_clock{"start_test_clock", R"sql(
    INSERT INTO sundial.test_clock VALUES (statement_timestamp()))sql"};
inline constexpr Statement read_test_clock{"read_test_clock", R"sql(
    CREATE OR REPLACE FUNCTION sundial.clock() RETURNS timestamptz
        LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT now FROM sundial.test_clock')sql"};

/// $1 role, $2 calls, $3 reads, $4 payloads.
inline constexpr Statement grant_to{"grant_to", "SELECT sundial.grant_to($1, $2, $3, $4)"};

}  // namespace sundial::postgres::sql
