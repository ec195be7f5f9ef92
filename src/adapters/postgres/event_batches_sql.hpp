#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL that changes many events in one transaction (event_batches.hpp). `find_…` reads ids on all
/// shards and locks nothing. The other statements touch the shard that they name, $1, and of its
/// ids $2 the events that still meet the condition: another transaction may have changed some. The
/// ids are ascending, and so the order in which rows are locked (ADR 0060). Conditions on live
/// events are written so that no index serves them (IS NOT DISTINCT FROM): rows are looked up by
/// their key, and no statement reads all events of an owner to keep those of one shard.
namespace sundial::postgres::sql {

/// The ids, as a relation with the shard. OFFSET 0 keeps the planner from seeing through it: with
/// the number of ids it would plan the statement for each call.
#define SUNDIAL_FOUND                                        \
    "(SELECT $1::smallint AS shard, unnest(ids.given) AS id" \
    " FROM (SELECT $2::uuid[] AS given OFFSET 0) AS ids OFFSET 0) AS found"
/// `event` is the row of an id. Why the shard is compared in three ways is at SUNDIAL_IS in
/// claim_sql.hpp.
#define SUNDIAL_IS_FOUND                              \
    "(event.shard = $1 OR event.shard = $1::integer)" \
    " AND event.shard = ANY (ARRAY[found.shard]) AND event.id = found.id"
#define SUNDIAL_LOCK_FOUND \
    "SELECT event.* FROM " SUNDIAL_FOUND " JOIN sundial.events AS event ON " SUNDIAL_IS_FOUND
#define SUNDIAL_IN_ORDER " ORDER BY event.id FOR UPDATE OF event"

/// Until the transaction ends. Once statistics say that the table is empty, the planner reads the
/// whole shard by a bitmap, and joins the ids to that. Vacuumed but not analysed, it reads the
/// whole table. A disabled scan costs so much that a remaining one would be compiled by JIT.
inline constexpr Statement look_up_rows{"look_up_rows", R"sql(
    SELECT set_config('enable_bitmapscan', 'off', true),
           set_config('enable_seqscan', 'off', true),
           set_config('jit', 'off', true))sql"};

/// $1 user.
inline constexpr Statement find_events_of_user{"find_events_of_user",
                                               "SELECT id FROM sundial.events WHERE user_id = $1"};
/// $1 user.
inline constexpr Statement find_finished_of_user{
    "find_finished_of_user", "SELECT id FROM sundial.event_history WHERE user_id = $1"};
/// $3 user.
inline constexpr Statement lock_events_of_user{
    "lock_events_of_user",
    SUNDIAL_LOCK_FOUND " WHERE event.user_id IS NOT DISTINCT FROM $3" SUNDIAL_IN_ORDER};
/// Erases all of them but the claimed ones. The live events must be locked. $3 user.
inline constexpr Statement erase_events_of_user{"erase_events_of_user", R"sql(
    WITH live AS (
        DELETE FROM sundial.events AS event USING )sql" SUNDIAL_FOUND R"sql(
         WHERE )sql" SUNDIAL_IS_FOUND R"sql( AND event.user_id IS NOT DISTINCT FROM $3
           AND event.claimed_by IS NULL
        RETURNING event.shard, event.id),
    finished AS (
        DELETE FROM sundial.event_history AS event USING )sql" SUNDIAL_FOUND R"sql(
         WHERE )sql" SUNDIAL_IS_FOUND R"sql( AND event.user_id = $3
        RETURNING event.shard, event.id),
    erased AS (SELECT * FROM live UNION ALL SELECT * FROM finished),
    moves AS (
        DELETE FROM sundial.event_moves AS move USING erased
         WHERE (move.shard = $1 OR move.shard = $1::integer)
           AND move.shard = ANY (ARRAY[erased.shard]) AND move.event_id = erased.id)
    DELETE FROM sundial.attempts AS attempt USING erased
     WHERE (attempt.shard = $1 OR attempt.shard = $1::integer)
       AND attempt.shard = ANY (ARRAY[erased.shard]) AND attempt.event_id = erased.id)sql"};
/// Removes the user from claimed and finished events, which stay. The live events must be locked.
/// $3 user.
inline constexpr Statement forget_user_of_events{"forget_user_of_events", R"sql(
    WITH finished AS (
        UPDATE sundial.event_history AS event SET user_id = NULL FROM )sql" SUNDIAL_FOUND R"sql(
         WHERE )sql" SUNDIAL_IS_FOUND R"sql( AND event.user_id = $3)
    UPDATE sundial.events AS event SET user_id = NULL FROM )sql" SUNDIAL_FOUND R"sql(
     WHERE )sql" SUNDIAL_IS_FOUND R"sql( AND event.user_id IS NOT DISTINCT FROM $3
       AND event.claimed_by IS NOT NULL)sql"};

/// Unclaimed live events that an earlier version of the schedule planned. $1 schedule, $2 version,
/// $3 after this id (or null), $4 limit.
inline constexpr Statement find_events_behind{"find_events_behind", R"sql(
    SELECT id FROM sundial.events
     WHERE schedule_id = $1 AND schedule_version < $2 AND claimed_by IS NULL
       AND id > coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid)
     ORDER BY id LIMIT $4)sql"};
/// $3 schedule, $4 version.
inline constexpr Statement lock_events_behind{
    "lock_events_behind", SUNDIAL_LOCK_FOUND
    " WHERE event.schedule_id IS NOT DISTINCT FROM $3 AND event.schedule_version < $4"
    " AND event.claimed_by IS NULL" SUNDIAL_IN_ORDER};

/// Events that follow a new tz database, by the index events_computed_with (tz_sql.hpp). $1 zone,
/// $2 release, $3 after this id (or null), $4 limit.
inline constexpr Statement find_computed_with{"find_computed_with", R"sql(
    SELECT id FROM sundial.events
     WHERE status = 'PENDING' AND retry_count = 0 AND wall IS NOT NULL AND (retry_of IS NULL OR attempt = 0)
       AND zone = $1 AND tz_release = $2
       AND id > coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid)
     ORDER BY id LIMIT $4)sql"};
/// $3 zone, $4 release.
inline constexpr Statement lock_computed_with{
    "lock_computed_with", SUNDIAL_LOCK_FOUND
    " WHERE event.status IS NOT DISTINCT FROM 'PENDING'"
    " AND event.retry_count IS NOT DISTINCT FROM 0 AND event.wall IS NOT NULL"
    " AND (event.retry_of IS NULL OR event.attempt = 0)"
    " AND event.zone IS NOT DISTINCT FROM $3"
    " AND event.tz_release IS NOT DISTINCT FROM $4" SUNDIAL_IN_ORDER};

/// Parked events of an endpoint. $1 endpoint, $2 limit.
inline constexpr Statement find_parked{"find_parked", R"sql(
    SELECT id FROM sundial.events
     WHERE endpoint_id = $1 AND claimable_at = 'infinity' AND status = 'PROCESSING'
     ORDER BY id LIMIT $2)sql"};
/// Parked events without an endpoint in shard $1. Goes from type to type in the index, where parked
/// events are at the end of each priority of a type; they are ordered only for the planner, which
/// otherwise may read the whole shard while statistics say that the table is empty. $2 limit.
inline constexpr Statement find_parked_of_none{"find_parked_of_none", R"sql(
    WITH RECURSIVE lane(type) AS (
        (SELECT event_type FROM sundial.events
          WHERE shard = $1 AND endpoint_id IS NULL
          ORDER BY event_type LIMIT 1)
        UNION ALL
        SELECT (SELECT later.event_type FROM sundial.events AS later
                 WHERE later.shard = $1 AND later.event_type > lane.type
                   AND later.endpoint_id IS NULL
                 ORDER BY later.event_type LIMIT 1)
          FROM lane WHERE lane.type IS NOT NULL)
    SELECT parked.id
      FROM lane
     CROSS JOIN generate_series(0, 3) AS priority(number)
     CROSS JOIN LATERAL (
            SELECT id FROM sundial.events
             WHERE shard = $1 AND event_type = lane.type AND priority = priority.number::smallint
               AND claimable_at >= 'infinity' AND endpoint_id IS NULL AND status = 'PROCESSING'
             ORDER BY claimable_at LIMIT $2) AS parked
     LIMIT $2)sql"};
/// $3 endpoint (or null), $4 now.
inline constexpr Statement unpark_events{"unpark_events", R"sql(
    UPDATE sundial.events AS event
       SET claimable_at = $4, version = event.version + 1, updated_at = $4
      FROM )sql" SUNDIAL_FOUND R"sql(
     WHERE )sql" SUNDIAL_IS_FOUND R"sql( AND event.endpoint_id IS NOT DISTINCT FROM $3
       AND event.claimable_at = 'infinity' AND event.status = 'PROCESSING')sql"};

/// Events of an endpoint that wait. $1 endpoint, $2 reason, RETRY, CIRCUIT or LIMIT, $3 now, $4
/// limit.
inline constexpr Statement find_waiting{"find_waiting", R"sql(
    SELECT id FROM sundial.events
     WHERE endpoint_id = $1 AND status = 'PROCESSING' AND claimed_by IS NULL
       AND coalesce(obstacle, 'RETRY') = $2 AND claimable_at > $3 AND claimable_at < 'infinity'
     ORDER BY id LIMIT $4)sql"};
/// $3 endpoint, $4 reason, $5 now.
inline constexpr Statement expedite_events{"expedite_events", R"sql(
    UPDATE sundial.events AS event
       SET claimable_at = $5, obstacle = NULL, version = event.version + 1, updated_at = $5
      FROM )sql" SUNDIAL_FOUND R"sql(
     WHERE )sql" SUNDIAL_IS_FOUND R"sql( AND event.endpoint_id IS NOT DISTINCT FROM $3
       AND event.status = 'PROCESSING'
       AND event.claimed_by IS NULL AND coalesce(event.obstacle, 'RETRY') = $4
       AND event.claimable_at > $5 AND event.claimable_at < 'infinity')sql"};

#undef SUNDIAL_IN_ORDER
#undef SUNDIAL_LOCK_FOUND
#undef SUNDIAL_IS_FOUND
#undef SUNDIAL_FOUND

}  // namespace sundial::postgres::sql
