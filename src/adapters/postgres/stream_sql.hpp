#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for streams and their feed, each complete. A transaction that appends holds one
/// of 16 advisory locks, shared, from before its positions are assigned until it ends. A reader of
/// the feed that finds a gap waits until the transactions that held one at that time have ended
/// (concurrency 1, ADR 0018).
namespace sundial::postgres::sql {

/// First keys of our advisory locks. The second key is the feed key, or the hash of a stream.
#define SUNDIAL_FEED_LOCK "1398097478"
#define SUNDIAL_STREAM_LOCK "1398097491"

#define SUNDIAL_HEAD                                                                    \
    "SELECT version, truncated_before, archived_at IS NOT NULL, deleted_at IS NOT NULL" \
    " FROM sundial.streams WHERE aggregate_type = $1 AND aggregate_id = $2"
/// $1 aggregate type, $2 aggregate id. Planned for each call: a plan kept from a time with few
/// streams would scan them all. The same applies to `known_events`.
inline constexpr Statement find_head{"find_head", SUNDIAL_HEAD, Statement::Plan::fresh};
inline constexpr Statement lock_head{"lock_head", SUNDIAL_HEAD " FOR UPDATE",
                                     Statement::Plan::fresh};
#undef SUNDIAL_HEAD
/// $1 aggregate type, $2 prefix of the id, $3 and $4 the last stream of the previous page, $5
/// limit.
inline constexpr Statement list_streams{"list_streams", R"sql(
    SELECT aggregate_type, aggregate_id, version, truncated_before, archived_at IS NOT NULL,
           deleted_at IS NOT NULL
      FROM sundial.streams
     WHERE ($1::text IS NULL OR aggregate_type = $1)
       AND ($2::text IS NULL OR starts_with(aggregate_id, $2))
       AND ($3::text IS NULL OR (aggregate_type, aggregate_id) > ($3, $4::text))
       AND ($6::text IS NULL OR (aggregate_type, aggregate_id) <= ($6, $7::text))
     ORDER BY aggregate_type, aggregate_id LIMIT $5)sql",
                                        Statement::Plan::fresh};
/// Where a page ends that passes many streams: the stream after $4 others. $1 type, $2 and $3 the
/// last stream of the previous page.
inline constexpr Statement passed_stream{"passed_stream", R"sql(
    SELECT aggregate_type, aggregate_id FROM sundial.streams
     WHERE ($1::text IS NULL OR aggregate_type = $1)
       AND ($2::text IS NULL OR (aggregate_type, aggregate_id) > ($2, $3::text))
     ORDER BY aggregate_type, aggregate_id LIMIT 1 OFFSET $4::bigint)sql",
                                         Statement::Plan::fresh};
/// No other transaction can create this stream until this one ends.
inline constexpr Statement lock_absent_stream{"lock_absent_stream",
                                              "SELECT pg_advisory_xact_lock(" SUNDIAL_STREAM_LOCK
                                              ", hashtext($1 || '/' || $2))"};

/// $1 ids.
inline constexpr Statement known_events{"known_events", R"sql(
    SELECT event_id, aggregate_type, aggregate_id, version, position, content_hash
      FROM sundial.recorded_events WHERE event_id = ANY ($1))sql",
                                        Statement::Plan::fresh};

/// $1 aggregate type, $2 aggregate id, $3 the version before, $4 now; then an array for each
/// column, with one value if all rows have the same (statement.hpp). Returns position and
/// transaction id.
inline constexpr Statement append{"append",
                                  "WITH feed AS MATERIALIZED ("
                                  " SELECT pg_advisory_xact_lock_shared(" SUNDIAL_FEED_LOCK
                                  ", (hashtext($1 || '/' || $2) & 15)) AS held),"
                                  R"sql(
    head AS (
        INSERT INTO sundial.streams AS stream (aggregate_type, aggregate_id, version)
        VALUES ($1, $2, $3 + cardinality($5))
        ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE SET version = excluded.version)
    INSERT INTO sundial.recorded_events
        (aggregate_type, aggregate_id, version, recorded_at, event_id, event_type, schema_version,
         data, content_hash, occurred_at, correlation_id, causation_id, actor, tenant, traceparent,
         headers)
    SELECT $1, $2, $3 + item.place, $4, item.event_id, coalesce(item.event_type, $6[1]),
           coalesce(item.schema_version, $7[1]), item.data, item.content_hash, item.occurred_at,
           coalesce(item.correlation_id, $11[1]), coalesce(item.causation_id, $12[1]),
           coalesce(item.actor, $13[1]), coalesce(item.tenant, $14[1]),
           coalesce(item.traceparent, $15[1]), coalesce(item.headers, $16[1])
      FROM feed CROSS JOIN
           unnest($5::uuid[], $6::text[], $7::integer[], $8::text[], $9::bytea[],
                  $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::text[],
                  $15::text[], $16::text[])
           WITH ORDINALITY
           AS item(event_id, event_type, schema_version, data, content_hash, occurred_at,
                   correlation_id, causation_id, actor, tenant, traceparent, headers, place)
     ORDER BY item.place
    RETURNING position, pg_current_xact_id()::text)sql"};
/// Locks, checks and writes in one step if no check fails. $1 aggregate type, $2 aggregate id, $3
/// the expected version (-1 any, -2 the stream exists), then arrays as above. Returns version and
/// position of each event, in order; no row if nothing was written. If another transaction commits
/// the same event id meanwhile, the unique index detects it and all runs again.
#define SUNDIAL_APPEND_AT_ONCE                                                                    \
    "WITH feed AS MATERIALIZED ("                                                                 \
    " SELECT sundial.clock() AS now, pg_advisory_xact_lock_shared(" SUNDIAL_FEED_LOCK             \
    ", (hashtext($1 || '/' || $2) & 15)) AS held),"                                               \
    " head AS ("                                                                                  \
    " INSERT INTO sundial.streams AS stream (aggregate_type, aggregate_id, version)"              \
    " SELECT $1, $2, cardinality($4)"                                                             \
    " WHERE ($3 IN (-1, 0) OR EXISTS (SELECT FROM sundial.streams"                                \
    " WHERE aggregate_type = $1 AND aggregate_id = $2))"                                          \
    " AND NOT EXISTS (SELECT FROM sundial.recorded_events WHERE event_id = ANY ($4))"             \
    " ON CONFLICT (aggregate_type, aggregate_id)"                                                 \
    " DO UPDATE SET version = stream.version + cardinality($4)"                                   \
    " WHERE stream.archived_at IS NULL AND stream.deleted_at IS NULL"                             \
    " AND ($3 < 0 OR stream.version = $3)"                                                        \
    " RETURNING version)"                                                                         \
    " INSERT INTO sundial.recorded_events"                                                        \
    " (aggregate_type, aggregate_id, version, recorded_at, event_id, event_type, schema_version," \
    " data, content_hash, occurred_at, correlation_id, causation_id, actor, tenant, traceparent," \
    " headers)"
inline constexpr Statement append_at_once{"append_at_once", SUNDIAL_APPEND_AT_ONCE R"sql(
    SELECT $1, $2, head.version - cardinality($4) + item.place, feed.now, item.event_id,
           coalesce(item.event_type, $5[1]), coalesce(item.schema_version, $6[1]), item.data,
           item.content_hash, item.occurred_at, coalesce(item.correlation_id, $10[1]),
           coalesce(item.causation_id, $11[1]), coalesce(item.actor, $12[1]),
           coalesce(item.tenant, $13[1]), coalesce(item.traceparent, $14[1]),
           coalesce(item.headers, $15[1])
      FROM head CROSS JOIN feed CROSS JOIN
           unnest($4::uuid[], $5::text[], $6::integer[], $7::text[], $8::bytea[],
                  $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::text[],
                  $14::text[], $15::text[])
           WITH ORDINALITY
           AS item(event_id, event_type, schema_version, data, content_hash, occurred_at,
                   correlation_id, causation_id, actor, tenant, traceparent, headers, place)
     ORDER BY item.place
    RETURNING version, position)sql"};
/// The same for one event, in three quarters of the server's time (docs/benchmarks.md).
inline constexpr Statement append_one_at_once{"append_one_at_once", SUNDIAL_APPEND_AT_ONCE R"sql(
    SELECT $1, $2, head.version, feed.now, $4[1], $5[1], $6[1], $7[1], $8[1], $9[1], $10[1], $11[1],
           $12[1], $13[1], $14[1], $15[1]
      FROM head CROSS JOIN feed
    RETURNING version, position)sql"};
#undef SUNDIAL_APPEND_AT_ONCE
/// The row that `append` wrote. $1 its id.
inline constexpr Statement find_record{"find_record", R"sql(
    SELECT FROM sundial.recorded_events WHERE event_id = $1)sql",
                                       Statement::Plan::fresh};

#define SUNDIAL_RECORDED_EVENT                                                              \
    "SELECT event.aggregate_type, event.aggregate_id, event.version, event.event_id,"       \
    " event.event_type, event.schema_version, coalesce(event.data, ''), event.occurred_at," \
    " event.correlation_id, event.causation_id, event.actor, event.tenant,"                 \
    " event.traceparent, event.headers, event.content_hash, event.position,"                \
    " event.recorded_at, event.redacted_at"
/// $1 aggregate type, $2 aggregate id, $3 to $4 versions, $5 limit.
inline constexpr Statement read_stream{
    "read_stream", SUNDIAL_RECORDED_EVENT
    " FROM sundial.recorded_events AS event"
    " WHERE aggregate_type = $1 AND aggregate_id = $2 AND version BETWEEN $3 AND $4"
    " ORDER BY version LIMIT $5"};
inline constexpr Statement read_stream_backward{
    "read_stream_backward", SUNDIAL_RECORDED_EVENT
    " FROM sundial.recorded_events AS event"
    " WHERE aggregate_type = $1 AND aggregate_id = $2 AND version BETWEEN $3 AND $4"
    " ORDER BY version DESC LIMIT $5"};
/// $1 after, $2 limit. All positions, of any event.
inline constexpr Statement feed_window{"feed_window", R"sql(
    SELECT position FROM sundial.recorded_events WHERE position > $1 ORDER BY position LIMIT $2)sql"};
/// $1 after, $2 to, $3 aggregate types and $4 event types (empty: all), $5 limit.
inline constexpr Statement read_feed{
    "read_feed",
    SUNDIAL_RECORDED_EVENT
    ", stream.deleted_at IS NOT NULL"
    " FROM sundial.recorded_events AS event JOIN sundial.streams AS stream"
    " USING (aggregate_type, aggregate_id)"
    " WHERE event.position > $1 AND event.position <= $2"
    " AND (cardinality($3::text[]) = 0 OR aggregate_type = ANY ($3))"
    " AND (cardinality($4::text[]) = 0 OR event.event_type = ANY ($4))"
    " ORDER BY event.position LIMIT $5",
    Statement::Plan::fresh};
#undef SUNDIAL_RECORDED_EVENT
inline constexpr Statement last_position{"last_position", R"sql(
    SELECT coalesce(max(position), 0) FROM sundial.recorded_events)sql"};
/// The transactions of this database that are appending now.
inline constexpr Statement appenders{
    "appenders",
    "SELECT DISTINCT virtualtransaction FROM pg_locks"
    " WHERE locktype = 'advisory' AND classid = " SUNDIAL_FEED_LOCK
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"};

/// $3 time, or null.
inline constexpr Statement archive_stream{"archive_stream", R"sql(
    UPDATE sundial.streams SET archived_at = $3 WHERE aggregate_type = $1 AND aggregate_id = $2)sql"};
/// $3 version.
inline constexpr Statement truncate_stream{"truncate_stream", R"sql(
    UPDATE sundial.streams SET truncated_before = greatest(truncated_before, $3)
     WHERE aggregate_type = $1 AND aggregate_id = $2)sql"};
inline constexpr Statement erase_payloads{"erase_payloads", R"sql(
    UPDATE sundial.recorded_events SET data = NULL, headers = ''
     WHERE aggregate_type = $1 AND aggregate_id = $2 AND version < $3)sql"};
/// $3 time.
inline constexpr Statement close_stream{"close_stream", R"sql(
    UPDATE sundial.streams SET deleted_at = $3 WHERE aggregate_type = $1 AND aggregate_id = $2)sql"};
/// $3 version, $4 data, $5 now.
inline constexpr Statement redact_event{"redact_event", R"sql(
    UPDATE sundial.recorded_events SET data = $4, redacted_at = $5
     WHERE aggregate_type = $1 AND aggregate_id = $2 AND version = $3)sql"};

inline constexpr Statement find_snapshot{"find_snapshot", R"sql(
    SELECT version, schema_version, state FROM sundial.snapshots
     WHERE aggregate_type = $1 AND aggregate_id = $2)sql"};
/// $3 version, $4 schema version, $5 state, $6 now.
inline constexpr Statement save_snapshot{"save_snapshot", R"sql(
    INSERT INTO sundial.snapshots AS kept
        (aggregate_type, aggregate_id, version, schema_version, state, saved_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (aggregate_type, aggregate_id)
    DO UPDATE SET version = excluded.version, schema_version = excluded.schema_version,
                  state = excluded.state, saved_at = excluded.saved_at
     WHERE kept.version < excluded.version)sql"};
inline constexpr Statement remove_snapshot{"remove_snapshot", R"sql(
    DELETE FROM sundial.snapshots WHERE aggregate_type = $1 AND aggregate_id = $2)sql"};

// Checkpoints.

/// $1 limit.
inline constexpr Statement followers{"followers", R"sql(
    SELECT name, position FROM sundial.checkpoints
     WHERE version > 0 AND NOT starts_with(name, 'outcomes:') ORDER BY name LIMIT $1)sql"};

#define SUNDIAL_CHECKPOINT                                                  \
    "SELECT position, event_id, fencing_token, holder, held_until, version" \
    " FROM sundial.checkpoints WHERE name = $1"
inline constexpr Statement find_checkpoint{"find_checkpoint", SUNDIAL_CHECKPOINT};
inline constexpr Statement lock_checkpoint{"lock_checkpoint", SUNDIAL_CHECKPOINT " FOR UPDATE"};
#undef SUNDIAL_CHECKPOINT
/// Does nothing if the checkpoint exists, for example because another instance has just added it.
inline constexpr Statement add_checkpoint{"add_checkpoint", R"sql(
    INSERT INTO sundial.checkpoints (name) VALUES ($1) ON CONFLICT DO NOTHING)sql"};
/// $2 position, $3 event id, $4 fencing token, $5 holder, $6 held until, $7 version. Returns the
/// transaction id.
inline constexpr Statement put_checkpoint{"put_checkpoint", R"sql(
    UPDATE sundial.checkpoints
       SET position = $2, event_id = $3, fencing_token = $4, holder = $5, held_until = $6,
           version = $7
     WHERE name = $1
    RETURNING pg_current_xact_id()::text)sql"};
/// Finds the row that `put_checkpoint` wrote, or the row it would have changed. $2 version.
inline constexpr Statement checkpoint_at{"checkpoint_at", R"sql(
    SELECT FROM sundial.checkpoints WHERE name = $1 AND version = $2)sql"};

/// $2 position, $3 event id, $4 reason, $5 attempts, $6 time.
inline constexpr Statement park_event{"park_event", R"sql(
    INSERT INTO sundial.parked_events (checkpoint, position, event_id, reason, attempts, parked_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING)sql"};
/// $2 after this position, $3 limit.
inline constexpr Statement parked_events{"parked_events", R"sql(
    SELECT position, event_id, reason, attempts, parked_at FROM sundial.parked_events
     WHERE checkpoint = $1 AND position > $2 ORDER BY position LIMIT $3)sql"};
/// $2 position.
inline constexpr Statement unpark_event{"unpark_event", R"sql(
    DELETE FROM sundial.parked_events WHERE checkpoint = $1 AND position = $2)sql"};

}  // namespace sundial::postgres::sql
