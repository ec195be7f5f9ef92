#pragma once

#include "adapters/postgres/statement.hpp"

/// Deletions by retention. $1 older than this, $2 limit, unless stated otherwise.
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
inline constexpr Statement forget_attempts{"forget_attempts", R"sql(
    DELETE FROM sundial.attempts
     WHERE (shard, event_id, number) IN (SELECT shard, event_id, number FROM sundial.attempts
                                          WHERE recorded_at < $1 LIMIT $2))sql",
                                           Statement::Plan::fresh};
/// Keeps keys of future events. Checks the age again, because another event may have taken the key
/// while this statement waited for the row. $3 number of shards.
inline constexpr Statement forget_keys{"forget_keys", R"sql(
    DELETE FROM sundial.event_keys
     WHERE (shard, key) IN (
        SELECT keys.shard, keys.key FROM sundial.event_keys AS keys
         WHERE keys.expires_at < $1
           AND NOT EXISTS (
                SELECT FROM sundial.events AS event
                 WHERE event.shard = (get_byte(uuid_send(keys.event_id), 15) % $3)::smallint
                   AND event.id = keys.event_id)
         LIMIT $2)
       AND event_keys.expires_at < $1)sql",
                                       Statement::Plan::fresh};
inline constexpr Statement forget_skips{"forget_skips", R"sql(
    DELETE FROM sundial.skipped_runs
     WHERE id IN (SELECT id FROM sundial.skipped_runs WHERE recorded_at < $1 LIMIT $2))sql",
                                        Statement::Plan::fresh};

}  // namespace sundial::postgres::sql
