#pragma once

#include "adapters/sqlite/value.hpp"

/// SQL statements for streams and their feed, each complete.
namespace sundial::sqlite::sql {

/// ?1 aggregate type, ?2 aggregate id, in all statements on one stream.
inline constexpr Statement find_head{R"sql(
    SELECT version, truncated_before, archived_at IS NOT NULL, deleted_at IS NOT NULL
      FROM streams WHERE aggregate_type = ?1 AND aggregate_id = ?2)sql"};
/// A part of the streams in the order of their index. The planner does not know the values, so a
/// bound that is null must still be one: '' is below every stream, and a blob above every text. ?1
/// and ?2 the stream before the part; ?3 and ?4 its last one, or ?3 a type and ?4 null for the end
/// of that type.
#define SUNDIAL_STREAMS_OF_PART                                                                 \
    " FROM streams WHERE (aggregate_type, aggregate_id) > (coalesce(?1, ''), coalesce(?2, ''))" \
    " AND (aggregate_type, aggregate_id) <= (coalesce(?3, x''), coalesce(?4, x''))"
/// ?5 prefix of the id, ?6 limit.
inline constexpr Statement list_streams{
    "SELECT aggregate_type, aggregate_id, version, truncated_before, archived_at IS NOT NULL,"
    " deleted_at IS NOT NULL" SUNDIAL_STREAMS_OF_PART
    " AND (?5 IS NULL OR substr(aggregate_id, 1, length(?5)) = ?5)"
    " ORDER BY aggregate_type, aggregate_id LIMIT ?6"};
/// The stream after ?5 others.
inline constexpr Statement passed_stream{
    "SELECT aggregate_type, aggregate_id" SUNDIAL_STREAMS_OF_PART
    " ORDER BY aggregate_type, aggregate_id LIMIT 1 OFFSET ?5"};
#undef SUNDIAL_STREAMS_OF_PART
/// ?3 version.
inline constexpr Statement move_head{R"sql(
    INSERT INTO streams (aggregate_type, aggregate_id, version) VALUES (?1, ?2, ?3)
    ON CONFLICT DO UPDATE SET version = excluded.version)sql"};
/// ?3 version, ?4 event id, ?5 event type, ?6 schema version, ?7 data, ?8 content hash, ?9 to ?15
/// the metadata, ?16 now. Without RETURNING, with which an append within a savepoint took
/// twice the CPU.
inline constexpr Statement append{R"sql(
    INSERT INTO recorded_events
        (aggregate_type, aggregate_id, version, event_id, event_type, schema_version, data,
         content_hash, occurred_at, correlation_id, causation_id, actor, tenant, traceparent,
         headers, recorded_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16))sql"};
/// ?1 event id.
inline constexpr Statement known_event{R"sql(
    SELECT event_id, aggregate_type, aggregate_id, version, position, content_hash
      FROM recorded_events WHERE event_id = ?1)sql"};

#define SUNDIAL_RECORDED_EVENT                                                        \
    "SELECT aggregate_type, aggregate_id, version, event_id, event_type,"             \
    " schema_version, coalesce(data, ''), occurred_at, correlation_id, causation_id," \
    " actor, tenant, traceparent, headers, content_hash, position, recorded_at,"      \
    " redacted_at FROM recorded_events AS event"
/// ?3 to ?4 versions, ?5 limit.
inline constexpr Statement read_stream{
    SUNDIAL_RECORDED_EVENT
    " WHERE aggregate_type = ?1 AND aggregate_id = ?2 AND version BETWEEN ?3 AND ?4"
    " ORDER BY version LIMIT ?5"};
inline constexpr Statement read_stream_backward{
    SUNDIAL_RECORDED_EVENT
    " WHERE aggregate_type = ?1 AND aggregate_id = ?2 AND version BETWEEN ?3 AND ?4"
    " ORDER BY version DESC LIMIT ?5"};
/// The last of the first ?2 positions after ?1, and whether there are more.
inline constexpr Statement last_position{"SELECT coalesce(max(position), 0) FROM recorded_events"};
inline constexpr Statement feed_window{R"sql(
    SELECT coalesce(max(position), ?1), count(*) FROM (
        SELECT position FROM recorded_events WHERE position > ?1 ORDER BY position LIMIT ?2))sql"};
/// Positions after ?1, up to ?2, of aggregate types ?3 and event types ?4 (JSON arrays; empty:
/// all), limit ?5.
inline constexpr Statement read_feed{
    SUNDIAL_RECORDED_EVENT
    " WHERE position > ?1 AND position <= ?2"
    " AND (?3 = '[]' OR aggregate_type IN (SELECT value FROM json_each(?3)))"
    " AND (?4 = '[]' OR event_type IN (SELECT value FROM json_each(?4)))"
    " ORDER BY position LIMIT ?5"};
#undef SUNDIAL_RECORDED_EVENT

/// ?3 time, or null.
inline constexpr Statement archive_stream{R"sql(
    UPDATE streams SET archived_at = ?3 WHERE aggregate_type = ?1 AND aggregate_id = ?2)sql"};
/// ?3 version.
inline constexpr Statement truncate_stream{R"sql(
    UPDATE streams SET truncated_before = max(truncated_before, ?3)
     WHERE aggregate_type = ?1 AND aggregate_id = ?2)sql"};
inline constexpr Statement erase_payloads{R"sql(
    UPDATE recorded_events SET data = NULL, headers = ''
     WHERE aggregate_type = ?1 AND aggregate_id = ?2 AND version < ?3)sql"};
/// ?3 time.
inline constexpr Statement close_stream{R"sql(
    UPDATE streams SET deleted_at = ?3 WHERE aggregate_type = ?1 AND aggregate_id = ?2)sql"};
/// ?3 version, ?4 data, ?5 now.
inline constexpr Statement redact_event{R"sql(
    UPDATE recorded_events SET data = ?4, redacted_at = ?5
     WHERE aggregate_type = ?1 AND aggregate_id = ?2 AND version = ?3)sql"};

inline constexpr Statement find_snapshot{R"sql(
    SELECT version, schema_version, state FROM snapshots
     WHERE aggregate_type = ?1 AND aggregate_id = ?2)sql"};
/// ?3 version, ?4 schema version, ?5 state, ?6 now.
inline constexpr Statement save_snapshot{R"sql(
    INSERT INTO snapshots (aggregate_type, aggregate_id, version, schema_version, state, saved_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT DO UPDATE SET version = excluded.version, schema_version = excluded.schema_version,
                              state = excluded.state, saved_at = excluded.saved_at
     WHERE version < excluded.version)sql"};
inline constexpr Statement remove_snapshot{R"sql(
    DELETE FROM snapshots WHERE aggregate_type = ?1 AND aggregate_id = ?2)sql"};

// Checkpoints.

/// ?1 limit.
inline constexpr Statement followers{R"sql(
    SELECT name, position FROM checkpoints
     WHERE version > 0 AND name NOT LIKE 'outcomes:%' ORDER BY name LIMIT ?1)sql"};

inline constexpr Statement find_checkpoint{R"sql(
    SELECT position, event_id, fencing_token, holder, held_until, version
      FROM checkpoints WHERE name = ?1)sql"};
/// ?2 position, ?3 event id, ?4 fencing token, ?5 holder, ?6 held until, ?7 version.
inline constexpr Statement put_checkpoint{R"sql(
    INSERT INTO checkpoints (name, position, event_id, fencing_token, holder, held_until, version)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT DO UPDATE
       SET position = excluded.position, event_id = excluded.event_id,
           fencing_token = excluded.fencing_token, holder = excluded.holder,
           held_until = excluded.held_until, version = excluded.version)sql"};
/// ?2 position, ?3 event id, ?4 reason, ?5 attempts, ?6 time.
inline constexpr Statement park_event{R"sql(
    INSERT INTO parked_events (checkpoint, position, event_id, reason, attempts, parked_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING)sql"};
/// ?2 after this position, ?3 limit.
inline constexpr Statement parked_of_checkpoint{R"sql(
    SELECT position, event_id, reason, attempts, parked_at FROM parked_events
     WHERE checkpoint = ?1 AND position > ?2 ORDER BY position LIMIT ?3)sql"};
/// ?2 position.
inline constexpr Statement unpark_event{R"sql(
    DELETE FROM parked_events WHERE checkpoint = ?1 AND position = ?2)sql"};

}  // namespace sundial::sqlite::sql
