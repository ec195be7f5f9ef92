#pragma once

#include "adapters/postgres/statement.hpp"

/// Deletions by retention, and summaries of the history's index. Rows of events are found on all
/// shards, and deleted shard by shard (ADR 0060).
namespace sundial::postgres::sql {

/// $1 done or failed, $2 before this instant.
inline constexpr Statement drop_history_partitions{"drop_history_partitions",
                                                   "SELECT sundial.drop_history_partitions($1, $2)",
                                                   Statement::Plan::fresh};
/// $1 done or failed, $2 before this instant, $3 limit. Of months that have no partition. Returns
/// how many it deleted.
inline constexpr Statement forget_history_rest{"forget_history_rest",
                                               "SELECT sundial.forget_history_rest($1, $2, $3)",
                                               Statement::Plan::fresh};
/// Of all shards. $1 before this instant, $2 limit.
inline constexpr Statement find_old_attempts{"find_old_attempts", R"sql(
    SELECT shard, event_id, number FROM sundial.attempts WHERE recorded_at < $1 LIMIT $2)sql",
                                             Statement::Plan::fresh};
/// $1 shard, $2 events, $3 numbers.
inline constexpr Statement forget_attempts{"forget_attempts", R"sql(
    DELETE FROM sundial.attempts AS attempt
     USING (SELECT $1::smallint AS shard, *
              FROM unnest($2::uuid[], $3::integer[]) AS old(event_id, number) OFFSET 0) AS old
     WHERE (attempt.shard = $1 OR attempt.shard = $1::integer)
       AND attempt.shard = ANY (ARRAY[old.shard])
       AND attempt.event_id = old.event_id AND attempt.number = old.number)sql",
                                           Statement::Plan::fresh};

/// Keys that are too old, on all shards. Leaves out those of live events in the shard of the key,
/// where most are, and of the events $3. $1 expired before, $2 limit.
inline constexpr Statement find_old_keys{"find_old_keys", R"sql(
    SELECT keys.shard, keys.key, keys.event_id FROM sundial.event_keys AS keys
     WHERE keys.expires_at < $1 AND keys.event_id <> ALL ($3::uuid[])
       AND NOT EXISTS (
            SELECT 1 FROM sundial.events AS event
             WHERE event.shard = keys.shard AND event.id = keys.event_id)
     LIMIT $2)sql",
                                         Statement::Plan::fresh};
/// $1 shard, $2 id.
inline constexpr Statement is_live{"is_live",
                                   "SELECT FROM sundial.events WHERE shard = $1 AND id = $2"};
/// Checks the age again, because another event may have taken the key meanwhile. $1 shard, $2 keys,
/// $3 their events, $4 expired before.
inline constexpr Statement forget_keys{"forget_keys", R"sql(
    DELETE FROM sundial.event_keys AS known
     USING (SELECT $1::smallint AS shard, *
              FROM unnest($2::text[], $3::uuid[]) AS old(key, event_id) OFFSET 0) AS old
     WHERE (known.shard = $1 OR known.shard = $1::integer)
       AND known.shard = ANY (ARRAY[old.shard]) AND known.key = old.key
       AND known.event_id = old.event_id AND known.expires_at < $4)sql",
                                       Statement::Plan::fresh};

// The statements of a distributed database, each for one shard: its transaction commits in one
// phase, and a machine that fails keeps its own rows only.

/// Old attempts. $1 shard, $2 before this instant, $3 limit.
inline constexpr Statement forget_attempts_in_shard{"forget_attempts_in_shard", R"sql(
    DELETE FROM sundial.attempts
     WHERE shard = $1
       AND (event_id, number) IN (SELECT event_id, number FROM sundial.attempts
                                   WHERE shard = $1 AND recorded_at < $2 LIMIT $3))sql",
                                                    Statement::Plan::fresh};
/// Old events of months that have no partition, in the history of one level that a distributed
/// database has. $1 shard, $2 before this instant, $3 limit, $4 whether failed.
inline constexpr Statement forget_history_rest_in_shard{"forget_history_rest_in_shard", R"sql(
    DELETE FROM sundial.event_history_default
     WHERE shard = $1
       AND id IN (SELECT id FROM sundial.event_history_default
                   WHERE shard = $1 AND finished_at < $2 AND (status = 'FAILED') = $4 LIMIT $3))sql",
                                                        Statement::Plan::fresh};
/// As find_old_keys. $1 shard, $2 expired before, $3 limit, $4 leaves out those of these events.
inline constexpr Statement find_old_keys_in_shard{"find_old_keys_in_shard", R"sql(
    SELECT keys.key, keys.event_id FROM sundial.event_keys AS keys
     WHERE keys.shard = $1 AND keys.expires_at < $2 AND keys.event_id <> ALL ($4::uuid[])
       AND NOT EXISTS (
            SELECT 1 FROM sundial.events AS event
             WHERE event.shard = $1 AND event.id = keys.event_id)
     LIMIT $3)sql",
                                                  Statement::Plan::fresh};

/// Partitions of the history that this role owns, with the number of rows that they have received.
/// Locks nothing.
inline constexpr Statement history_partitions{"history_partitions", R"sql(
    SELECT oid::bigint, pg_stat_get_tuples_inserted(oid) FROM pg_class
     WHERE relnamespace = 'sundial'::regnamespace AND relkind = 'r' AND relispartition
       AND relname ~ '^event_history_' AND pg_has_role(relowner, 'USAGE')
     ORDER BY oid)sql",
                                              Statement::Plan::fresh};
/// $1 partition, $2 first range, $3 the range after the last. Returns the number of ranges that the
/// partition has; null: it is locked.
inline constexpr Statement summarise_history{"summarise_history", R"sql(
    SELECT ranges FROM sundial.summarise_history($1::bigint::oid, $2, $3))sql",
                                             Statement::Plan::fresh};

/// $1 before this instant, $2 limit.
inline constexpr Statement forget_skips{"forget_skips", R"sql(
    DELETE FROM sundial.skipped_runs
     WHERE id IN (SELECT id FROM sundial.skipped_runs WHERE recorded_at < $1 LIMIT $2))sql",
                                        Statement::Plan::fresh};

}  // namespace sundial::postgres::sql
