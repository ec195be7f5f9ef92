#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for events inside a transaction, each complete. A statement about one event or
/// one key names its shard as a parameter, so that it touches that shard only (ADR 0060).
namespace sundial::postgres::sql {

// The columns of a new event, in the order in which the statements below list its values.
#define SUNDIAL_NEW_EVENT                                                                         \
    "(shard, id, status, priority, claimable_at, version, attempt, retry_count, due,"             \
    " idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal," \
    " wall, zone, gap, overlap, tz_release, payload, retry_of, created_at, updated_at,"           \
    " jitter, nominal_time, second_pass, origin, traceparent, pull)"

/// Several events in one statement, whatever their shards: for plain PostgreSQL only. Adds PENDING
/// events, each together with its key or not at all. Takes over keys that are known
/// but free. Returns the ids of the events that were added, with the transaction id, and their
/// attempt numbers, which go on from those of the keys' former events. If two events have the same
/// key, the first wins. Keys are inserted in order, so that two such statements cannot deadlock. $1
/// shards of the events, $2 ids, $3 keys, $4 types, $5 priorities, $6 users, $7 endpoints, $8
/// schedules, $9 their versions, $10 nominal dates, $11 wall times, $12 zones, $13 gap and $14
/// overlap policies, $15 due, $16 tz releases, $17 payloads, $18 claimable at, $19 versions, $20
/// retry of, $21 created, $22 number of shards, $23 jitters, $24 nominal times, $25 second passes,
/// $26 origins, $27 traces, $28 how long keys are kept. Columns other than shards, ids, keys, due
/// and claimable at are sent once if all rows have the same value (statement.hpp).
inline constexpr Statement add_events{"add_events", R"sql(
    WITH given AS (
        SELECT * FROM unnest($1::smallint[], $2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::uuid[],
                             $7::uuid[], $8::uuid[], $9::bigint[], $10::date[], $11::timestamp[],
                             $12::text[], $13::text[], $14::text[], $15::timestamptz[], $16::text[],
                             $17::text[], $18::timestamptz[], $19::bigint[], $20::uuid[], $21::timestamptz[],
                             $23::interval[], $24::interval[], $25::boolean[], $26::text[],
                             $27::text[])
            WITH ORDINALITY AS given(shard, id, idempotency_key, event_type, priority, user_id,
                     endpoint_id, schedule_id, schedule_version, nominal, wall,
                     zone, gap, overlap, due, tz_release,
                     payload, claimable_at, version, retry_of, created_at,
                     jitter, nominal_time, second_pass, origin, traceparent, place)),
    chosen AS (
        SELECT DISTINCT ON (idempotency_key) * FROM given ORDER BY idempotency_key, place),
    keyed AS (
        INSERT INTO sundial.event_keys AS known (shard, key, event_id, expires_at)
        SELECT sundial.shard_of_key(idempotency_key, $22), idempotency_key, id,
               greatest(due, coalesce(created_at, $21[1])) + $28
          FROM chosen ORDER BY idempotency_key
        ON CONFLICT (shard, key) DO UPDATE
           SET event_id = excluded.event_id, free = false,
               expires_at = greatest(known.expires_at, excluded.expires_at)
         WHERE known.free
        RETURNING event_id, attempt)
    INSERT INTO sundial.events )sql" SUNDIAL_NEW_EVENT R"sql(
    SELECT shard, id, 'PENDING', coalesce(priority, $5[1]), claimable_at,
           coalesce(version, $19[1]), keyed.attempt, 0, due, idempotency_key,
           coalesce(event_type, $4[1]),
           user_id, endpoint_id, schedule_id, schedule_version, nominal, wall,
           coalesce(zone, $12[1]), coalesce(gap, $13[1]), coalesce(overlap, $14[1]),
           coalesce(tz_release, $16[1]), coalesce(payload, $17[1]), retry_of,
           coalesce(created_at, $21[1]), coalesce(created_at, $21[1]), coalesce(jitter, $23[1]),
           coalesce(nominal_time, $24[1]), coalesce(second_pass, $25[1]), coalesce(origin, $26[1]),
           traceparent,
           endpoint_id IS NOT NULL
               AND EXISTS (SELECT 1 FROM sundial.endpoints AS its  -- whose type never changes
                            WHERE its.id = chosen.endpoint_id AND its.type = 'PULL')
      FROM chosen JOIN keyed ON keyed.event_id = chosen.id
    RETURNING id, (SELECT pg_current_xact_id()::text), attempt)sql"};

/// Gives a key to a new event, unless another event has it. Takes over a key that is known but
/// free. Returns the number of the last attempt under the key. $1 shard of the key, $2 key, $3
/// event, $4 expiry, $5 not before that long from now (null: $4 alone).
inline constexpr Statement take_key{"take_key", R"sql(
    INSERT INTO sundial.event_keys AS known (shard, key, event_id, expires_at)
    VALUES ($1, $2, $3, greatest($4, sundial.clock() + $5))
    ON CONFLICT (shard, key) DO UPDATE
       SET event_id = excluded.event_id, free = false,
           expires_at = greatest(known.expires_at, excluded.expires_at)
     WHERE known.free
    RETURNING attempt)sql"};
/// Moves the key of a FAILED or CANCELLED event to the event that retries it (compare and set).
/// Succeeds also if no event has the key any more. Returns as take_key. $1 to $4 as there, $5
/// finished event.
inline constexpr Statement move_key{"move_key", R"sql(
    INSERT INTO sundial.event_keys AS known (shard, key, event_id, expires_at)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (shard, key) DO UPDATE
       SET event_id = excluded.event_id, expires_at = excluded.expires_at, free = false
     WHERE known.event_id = $5
    RETURNING attempt)sql"};
/// Adds an event whose key is in its shard, after take_key or move_key in the same round trip. Adds
/// nothing if those did not give it the key, or if it is stored and live. Returns its attempt
/// number: the last one under the key, or $26 if that is later; and when it was created. $1 shard,
/// $2 id, $3 key, $4 type, $5 priority, $6 user, $7 endpoint, $8 schedule, $9 its version, $10
/// nominal date, $11 wall time, $12 zone, $13 gap and $14 overlap policy, $15 due, $16 tz release,
/// $17 payload, $18 claimable at, $19 version, $20 retry of, $21 created (null: now), $22 jitter,
/// $23 nominal time, $24 second pass, $25 origin, $27 trace.
inline constexpr Statement add_event{"add_event", R"sql(
    INSERT INTO sundial.events AS event )sql" SUNDIAL_NEW_EVENT R"sql(
    SELECT keyed.shard, $2, 'PENDING', $5, $18, $19, greatest(keyed.attempt, $26), 0, $15,
           $3, $4, $6, $7, $8, $9, $10,
           $11, $12, $13, $14, $16, $17, $20, coalesce($21, sundial.clock()),
           coalesce($21, sundial.clock()), $22, $23, $24, $25, $27, false
      FROM sundial.event_keys AS keyed
     WHERE keyed.shard = $1 AND keyed.key = $3 AND keyed.event_id = $2
       AND NOT EXISTS (SELECT 1 FROM sundial.events AS live
                        WHERE live.shard = $1 AND live.id = $2 AND live.idempotency_key = $3)
    RETURNING event.attempt, event.created_at)sql"};
/// Removes an event that add_event added in this transaction. $1 shard, $2 id.
inline constexpr Statement remove_added{"remove_added",
                                        "DELETE FROM sundial.events WHERE shard = $1 AND id = $2"};
/// Adds an event whose key is in another shard. Parameters as above, but $21 is not null, and $26
/// is its attempt number.
inline constexpr Statement add_event_with_key{"add_event_with_key", R"sql(
    INSERT INTO sundial.events )sql" SUNDIAL_NEW_EVENT R"sql(
    VALUES ($1, $2, 'PENDING', $5, $18, $19, $26, 0, $15,
            $3, $4, $6, $7, $8, $9, $10,
            $11, $12, $13, $14, $16, $17, $20, $21, $21,
            $22, $23, $24, $25, $27, false))sql"};
/// Leaves a new event to the workers of its endpoint if that is a PULL endpoint, whose type never
/// changes. A statement of its own: if add_event read the endpoint, Citus would run it on all
/// shards. $1 shard, $2 id, $3 endpoint.
inline constexpr Statement leave_to_workers{"leave_to_workers", R"sql(
    UPDATE sundial.events SET pull = true
     WHERE shard = $1 AND id = $2 AND endpoint_id IS NOT DISTINCT FROM $3 AND NOT pull
       AND EXISTS (SELECT 1 FROM sundial.endpoints AS its WHERE its.id = $3 AND its.type = 'PULL'))sql"};
#undef SUNDIAL_NEW_EVENT

/// Whether the key belongs to the event. $1 shard of the key, $2 key, $3 event.
inline constexpr Statement find_key{
    "find_key", "SELECT FROM sundial.event_keys WHERE shard = $1 AND key = $2 AND event_id = $3",
    Statement::Plan::fresh};
/// The event that has the key, and its status if it is in the shard of the key, as most are. $1
/// shard of the key, $2 key.
inline constexpr Statement holder_of_key{"holder_of_key", R"sql(
    SELECT held.event_id,
           (SELECT event.status FROM sundial.v_events AS event
             WHERE event.shard = $1 AND event.id = held.event_id LIMIT 1)
      FROM sundial.event_keys AS held
     WHERE held.shard = $1 AND held.key = $2)sql"};
/// $1 shard, $2 id.
inline constexpr Statement status_of_event{"status_of_event", R"sql(
    SELECT status FROM sundial.v_events WHERE shard = $1 AND id = $2 LIMIT 1)sql"};

/// Live rows come first, so that the history is not read if the event is live. $1 shard, $2 id.
inline constexpr Statement find_event{"find_event", R"sql(
    SELECT * FROM sundial.v_events WHERE shard = $1 AND id = $2 LIMIT 1)sql"};

/// $1 shard, $2 id.
inline constexpr Statement lock_event{"lock_event", R"sql(
    SELECT * FROM sundial.events WHERE shard = $1 AND id = $2 FOR UPDATE)sql"};

/// The number of unclaimed live events that an earlier version of the schedule planned. $1
/// schedule, $2 version.
inline constexpr Statement count_events_behind{"count_events_behind", R"sql(
    SELECT count(*) FROM sundial.events
     WHERE schedule_id = $1 AND schedule_version < $2 AND claimed_by IS NULL)sql"};

/// Unclaimed live events, found by the index of the endpoint. $1 endpoint, $2 limit.
inline constexpr Statement unclaimed_of_endpoint{"unclaimed_of_endpoint", R"sql(
    SELECT * FROM sundial.events WHERE endpoint_id = $1 AND claimed_by IS NULL LIMIT $2)sql"};
/// $1 endpoint.
inline constexpr Statement count_live_of_endpoint{"count_live_of_endpoint", R"sql(
    SELECT count(*) FROM sundial.events WHERE endpoint_id = $1)sql"};

/// Extends the expiry of an event's key. $1 shard of the key, $2 key, $3 event, $4 expiry.
inline constexpr Statement extend_key{"extend_key", R"sql(
    UPDATE sundial.event_keys SET expires_at = $4
     WHERE shard = $1 AND key = $2 AND event_id = $3 AND expires_at < $4)sql"};
/// Updates all of a live row but its shard and id. $1 shard, $2 id, $3 version before; then the
/// columns below in order.
inline constexpr Statement update_event{"update_event", R"sql(
    UPDATE sundial.events
       SET status = $4, version = $5, claimable_at = $6, attempt = $7, retry_count = $8,
           idempotency_key = $9, event_type = $10, priority = $11, user_id = $12, endpoint_id = $13,
           schedule_id = $14, schedule_version = $15, nominal = $16, wall = $17, zone = $18, gap = $19,
           overlap = $20, due = $21, tz_release = $22, payload = $23, first_attempt_at = $24,
           updated_at = $25, jitter = $26, nominal_time = $27, second_pass = $28,
           obstacle = $29,
           pull = EXISTS (SELECT 1 FROM sundial.endpoints AS its WHERE its.id = $13 AND its.type = 'PULL')
     WHERE shard = $1 AND id = $2 AND version = $3 AND claimed_by IS NULL)sql"};

/// Finds an event as a transaction left it. $1 shard, $2 id, $3 version, $4 updated at, $5 id of
/// the transaction on the machine that has the row. That alone would not be enough, because after a
/// crash the server may assign it again.
inline constexpr Statement find_change{"find_change", R"sql(
    SELECT version FROM sundial.events
     WHERE shard = $1 AND id = $2 AND version = $3 AND updated_at = $4 AND xmin = $5::xid8::xid
    UNION ALL
    SELECT version FROM sundial.event_history
     WHERE shard = $1 AND id = $2 AND version = $3 AND updated_at = $4 AND xmin = $5::xid8::xid)sql",
                                       Statement::Plan::fresh};
/// The id of the transaction that wrote an event, on the machine that has the row. On a distributed
/// database that is not the transaction's id on the coordinator. $1 shard, $2 id, $3 version.
inline constexpr Statement written_by{"written_by", R"sql(
    SELECT xmin::text FROM sundial.events WHERE shard = $1 AND id = $2 AND version = $3
    UNION ALL
    SELECT xmin::text FROM sundial.event_history WHERE shard = $1 AND id = $2 AND version = $3)sql"};
/// $1 shard, $2 id, $3 version.
inline constexpr Statement find_version{"find_version", R"sql(
    SELECT version FROM sundial.v_events WHERE shard = $1 AND id = $2 AND version = $3)sql",
                                        Statement::Plan::fresh};

// The same on a distributed database, where a machine may end a transaction after the coordinator:
// each waits for a transaction that has changed its row, and is rolled back.

/// A live event. $1 shard, $2 id, $3 version.
inline constexpr Statement lock_version{"lock_version", R"sql(
    SELECT version FROM sundial.events WHERE shard = $1 AND id = $2 AND version = $3 FOR UPDATE)sql",
                                        Statement::Plan::fresh};
/// A finished event. $1 shard, $2 id, $3 version.
inline constexpr Statement lock_finished_version{"lock_finished_version", R"sql(
    SELECT version FROM sundial.event_history
     WHERE shard = $1 AND id = $2 AND version = $3 FOR UPDATE)sql",
                                                 Statement::Plan::fresh};
/// Returns a row unless the event has the key. $1 shard of the key, $2 key, $3 event.
inline constexpr Statement lock_key_of_other{"lock_key_of_other", R"sql(
    INSERT INTO sundial.event_keys AS known (shard, key, event_id, expires_at)
    VALUES ($1, $2, $3, sundial.clock())
    ON CONFLICT (shard, key) DO UPDATE SET expires_at = known.expires_at
     WHERE known.event_id <> $3
    RETURNING shard)sql",
                                             Statement::Plan::fresh};

/// Adds a key for an event that had another one so far. $1 shard of the key, $2 key, $3 event, $4
/// expiry.
inline constexpr Statement add_key{"add_key", R"sql(
    INSERT INTO sundial.event_keys (shard, key, event_id, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT DO NOTHING)sql"};
/// $1 shard of the key, $2 key, $3 its event.
inline constexpr Statement remove_key{
    "remove_key", "DELETE FROM sundial.event_keys WHERE shard = $1 AND key = $2 AND event_id = $3"};
/// Frees the key of an event for another one, or takes it back. $1 shard of the key, $2 key, $3 its
/// event, $4 whether it is free, $5 the event's attempt number.
inline constexpr Statement free_key{"free_key", R"sql(
    UPDATE sundial.event_keys SET free = $4, attempt = $5
     WHERE shard = $1 AND key = $2 AND event_id = $3)sql"};

/// Writes the history of a locked live event that ends without a settlement. $1 shard, $2 id, $3
/// version before, $4 new version, $5 status, $6 time, $7 reason, $8 user.
inline constexpr Statement keep_finished{"keep_finished", R"sql(
    INSERT INTO sundial.event_history
        (shard, id, status, priority, finished_at, reason, version, attempt, retry_count, due,
         idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
         wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
         updated_at, jitter, nominal_time, second_pass, origin, traceparent)
    SELECT shard, id, $5, priority, $6, $7, $4, attempt, retry_count, due,
           idempotency_key, event_type, $8, endpoint_id, schedule_id, schedule_version, nominal,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           $6, jitter, nominal_time, second_pass, origin, traceparent
      FROM sundial.events WHERE shard = $1 AND id = $2 AND version = $3)sql"};
/// Removes it from the live events. $1 shard, $2 id, $3 version before.
inline constexpr Statement remove_finished{
    "remove_finished", "DELETE FROM sundial.events WHERE shard = $1 AND id = $2 AND version = $3"};

/// $1 shard, $2 id, $3 version before, $4 new version, $5 dismissed at (or null), $6 time, $7 note
/// (or null), $8 actor (or null).
inline constexpr Statement update_dismissed{"update_dismissed", R"sql(
    UPDATE sundial.event_history SET dismissed_at = $5, version = $4, updated_at = $6,
                                     dismissal_note = $7, dismissed_by = $8
     WHERE shard = $1 AND id = $2 AND version = $3 AND status = 'FAILED')sql"};

/// $1 schedule, $2 user, $3 origin (null: any), $4 due before, $5 due after (null: any time).
inline constexpr Statement live_of_user{"live_of_user", R"sql(
    SELECT FROM sundial.events
     WHERE user_id = $2 AND schedule_id = $1 AND ($3::text IS NULL OR origin = $3)
       AND ($4::timestamptz IS NULL OR due < $4) AND ($5::timestamptz IS NULL OR due > $5)
     LIMIT 1)sql"};
/// The same for events without a user: $1 schedule, $2 origin, $3 due before, $4 due after.
inline constexpr Statement live_without_user{"live_of_nobody", R"sql(
    SELECT FROM sundial.events
     WHERE schedule_id = $1 AND user_id IS NULL AND ($2::text IS NULL OR origin = $2)
       AND ($3::timestamptz IS NULL OR due < $3) AND ($4::timestamptz IS NULL OR due > $4)
     LIMIT 1)sql"};
/// $1 schedules. The index is partial, so its condition is repeated.
inline constexpr Statement planned_by_rule{"planned_by_rule", R"sql(
    SELECT * FROM sundial.events
     WHERE schedule_id = ANY($1) AND schedule_id IS NOT NULL AND user_id IS NULL
       AND status = 'PENDING' AND origin = 'rule')sql"};

/// Ordered by number. The successful attempt of a COMPLETED event is in its history row and comes
/// last.
/// $1 shard, $2 id.
inline constexpr Statement attempts_of{"attempts_of", R"sql(
    SELECT number, outcome, endpoint_id, started_at, duration, status_code,
           error_code, error_text, response_body, instance_id, held, worker
      FROM sundial.attempts WHERE shard = $1 AND event_id = $2
    UNION ALL
    SELECT attempt, 'SUCCEEDED', endpoint_id, started_at, coalesce(duration, '0'), status_code,
           '', '', '', settled_by, version - 1, worker
      FROM sundial.event_history WHERE shard = $1 AND id = $2 AND status = 'COMPLETED'
    ORDER BY number)sql"};

}  // namespace sundial::postgres::sql
