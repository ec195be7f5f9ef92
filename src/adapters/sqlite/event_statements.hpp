#pragma once

#include "adapters/sqlite/statement.hpp"

/// The columns that `read_event` reads. `body_of` binds the second half.
#define SUNDIAL_EVENT_BODY                                                                   \
    "version, attempt, retry_count, due, jitter, first_attempt_at, created_at, updated_at, " \
    "idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, "     \
    "nominal, nominal_time, second_pass, origin, wall, zone, gap, overlap, tz_release, "     \
    "retry_of, payload"
#define SUNDIAL_EVENT                                                       \
    "id, status, priority, claimable_at, claimed_by, finished_at, reason, " \
    "dismissed_at, " SUNDIAL_EVENT_BODY
#define SUNDIAL_LIVE_EVENT \
    "id, status, priority, claimable_at, claimed_by, NULL, NULL, NULL, " SUNDIAL_EVENT_BODY
#define SUNDIAL_FINISHED_EVENT                                               \
    "id, status, priority, 9223372036854775807, NULL, finished_at, reason, " \
    "dismissed_at, " SUNDIAL_EVENT_BODY

/// SQL statements for events, used by the repository and the queue. The only shard is 0.
namespace sundial::sqlite::sql {

/// For each priority, the next instant at which an event is claimable.
inline constexpr Statement peek{R"sql(
    SELECT (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 0 AND NOT pull AND line IS NULL),
           (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 1 AND NOT pull AND line IS NULL),
           (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 2 AND NOT pull AND line IS NULL),
           (SELECT min(claimable_at) FROM events
             WHERE shard = 0 AND priority = 3 AND NOT pull AND line IS NULL))sql"};

/// Claimable events of one priority, oldest first: ?1 priority, ?2 now, ?3 limit.
inline constexpr Statement ready{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_to_claim
     WHERE shard = 0 AND priority = ?1 AND claimable_at <= ?2 AND NOT pull AND line IS NULL
     ORDER BY claimable_at LIMIT ?3)sql"};

/// The same for line ?4.
inline constexpr Statement ready_in_line{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_in_line
     WHERE line = ?4 AND priority = ?1 AND claimable_at <= ?2
     ORDER BY claimable_at LIMIT ?3)sql"};
/// Event ?1 joins line ?2 because of obstacle ?3.
inline constexpr Statement join_line{"UPDATE events SET line = ?2, obstacle = ?3 WHERE id = ?1"};
/// The first event of each line and priority. Goes from line to line in the index, however many
/// events each has.
inline constexpr Statement look_at_lines{R"sql(
    WITH RECURSIVE known(line) AS (
        SELECT min(line) FROM events INDEXED BY events_in_line WHERE line IS NOT NULL
        UNION ALL
        SELECT (SELECT min(events.line) FROM events INDEXED BY events_in_line
                 WHERE events.line > known.line)
          FROM known WHERE known.line IS NOT NULL)
    SELECT line, priority, first FROM (
        SELECT known.line, priority.column1 AS priority,
               (SELECT min(claimable_at) FROM events INDEXED BY events_in_line
                 WHERE events.line = known.line AND events.priority = priority.column1) AS first
          FROM known CROSS JOIN (VALUES (0), (1), (2), (3)) AS priority
         WHERE known.line IS NOT NULL)
     WHERE first IS NOT NULL)sql"};
/// Number of events in lines that were claimable before ?1, and their earliest and latest due
/// instants.
inline constexpr Statement backlog_in_lines{R"sql(
    SELECT count(*), min(due), max(due)
      FROM events INDEXED BY events_in_line
     WHERE line IS NOT NULL AND claimable_at < ?1)sql"};

/// As `ready`, for the workers of PULL endpoint ?4.
inline constexpr Statement ready_to_pull{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_to_pull
     WHERE endpoint_id = ?4 AND priority = ?1 AND claimable_at <= ?2 AND pull
     ORDER BY claimable_at LIMIT ?3)sql"};
/// The next instant at which an event of priority ?1 is claimable for the workers of endpoint ?2.
/// ?3 never.
inline constexpr Statement peek_to_pull{R"sql(
    SELECT min(claimable_at) FROM events INDEXED BY events_to_pull
     WHERE endpoint_id = ?2 AND priority = ?1 AND claimable_at < ?3 AND pull)sql"};

/// Events that wait for an instance with a handler for their type. All of them are due.
inline constexpr Statement due_for_handlers{R"sql(
    SELECT count(*), min(claimable_at)
      FROM events INDEXED BY events_in_line WHERE line >= 'type:' AND line < 'type;')sql"};

/// ?1 instance, ?2 event type, ?3 until.
inline constexpr Statement announce{
    "INSERT INTO handler_types (instance_id, event_type, until) VALUES (?1, ?2, ?3)"};
/// What instance ?1 announced, and what is no longer valid at ?2.
inline constexpr Statement forget_announced{
    "DELETE FROM handler_types WHERE instance_id = ?1 OR until <= ?2"};
/// ?1 now.
inline constexpr Statement announced_types{
    "SELECT DISTINCT event_type FROM handler_types WHERE until > ?1 ORDER BY event_type"};

/// Number of events of PULL endpoint ?1 that its workers hold. ?2 now.
inline constexpr Statement held_by_workers{R"sql(
    SELECT count(*) FROM events INDEXED BY events_held_by_workers
     WHERE endpoint_id = ?1 AND pull AND claimed_by IS NOT NULL AND claimable_at > ?2)sql"};

/// Number of events of priority ?1 that were claimable before ?2, the first such instant, and their
/// earliest and latest due instants.
inline constexpr Statement backlog{R"sql(
    SELECT count(*), min(due), max(due)
      FROM events INDEXED BY events_to_claim
     WHERE shard = 0 AND priority = ?1 AND claimable_at < ?2 AND NOT pull AND line IS NULL)sql"};
/// The same up to now, from the index alone.
inline constexpr Statement due{R"sql(
    SELECT count(*), min(claimable_at)
      FROM events INDEXED BY events_to_claim
     WHERE shard = 0 AND priority = ?1 AND claimable_at <= ?2 AND NOT pull AND line IS NULL)sql"};
/// Events that pull workers of any endpoint could claim up to ?1, counted endpoint by endpoint.
inline constexpr Statement due_to_pull{R"sql(
    SELECT count(*), min(event.claimable_at)
      FROM endpoints AS its
     CROSS JOIN (VALUES (0), (1), (2), (3)) AS priority
     CROSS JOIN events AS event INDEXED BY events_to_pull
     WHERE its.type = 'PULL' AND event.endpoint_id = its.id AND event.priority = priority.column1
       AND event.pull AND event.claimable_at <= ?1)sql"};

/// Limited, because an exact count of millions would take too long.
inline constexpr Statement dead_letters{R"sql(
    SELECT count(*) FROM (
        SELECT 1 FROM event_history
         WHERE status = 'FAILED' AND dismissed_at IS NULL LIMIT 100000))sql"};

inline constexpr Statement live_event{"SELECT " SUNDIAL_LIVE_EVENT " FROM events WHERE id = ?1"};
inline constexpr Statement event{"SELECT " SUNDIAL_EVENT " FROM v_events WHERE id = ?1"};
inline constexpr Statement event_status{"SELECT status FROM v_events WHERE id = ?1"};
inline constexpr Statement live_events_of_user{"SELECT " SUNDIAL_LIVE_EVENT
                                               " FROM events WHERE user_id = ?1 ORDER BY id"};
/// ?1 schedule, ?2 its version, ?3 after this id, ?4 limit.
inline constexpr Statement live_events_behind{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_of_schedule
     WHERE schedule_id = ?1 AND schedule_version < ?2 AND claimed_by IS NULL
       AND (?3 IS NULL OR id > ?3)
     ORDER BY id LIMIT ?4)sql"};
inline constexpr Statement count_events_behind{R"sql(
    SELECT count(*) FROM events INDEXED BY events_of_schedule
     WHERE schedule_id = ?1 AND schedule_version < ?2 AND claimed_by IS NULL)sql"};
/// Whether schedule ?1 has a live event for user ?2 (in the second statement: without a user), of
/// origin ?3 (null: any), due before ?4 and after ?5 (null: any time).
inline constexpr Statement has_live_of_user{R"sql(
    SELECT EXISTS (SELECT 1 FROM events INDEXED BY events_of_user
                    WHERE user_id = ?2 AND schedule_id = ?1 AND (?3 IS NULL OR origin = ?3)
                      AND (?4 IS NULL OR due < ?4) AND (?5 IS NULL OR due > ?5)))sql"};
inline constexpr Statement has_live_without_user{R"sql(
    SELECT EXISTS (SELECT 1 FROM events INDEXED BY events_of_schedule
                    WHERE schedule_id = ?1 AND user_id IS ?2 AND (?3 IS NULL OR origin = ?3)
                      AND (?4 IS NULL OR due < ?4) AND (?5 IS NULL OR due > ?5)))sql"};
/// ?1 endpoint, ?2 never, ?3 limit.
inline constexpr Statement parked_of_endpoint{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events
     WHERE endpoint_id = ?1 AND claimable_at = ?2 AND status = 'PROCESSING'
     LIMIT ?3)sql"};
/// ?1 never, ?2 limit.
inline constexpr Statement parked_of_none{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events
     WHERE endpoint_id IS NULL AND claimable_at = ?1 AND status = 'PROCESSING'
     LIMIT ?2)sql"};

/// ?1 endpoint, ?2 obstacle, ?3 limit.
inline constexpr Statement held_up_events{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_held_up
     WHERE endpoint_id = ?1 AND obstacle = ?2
     LIMIT ?3)sql"};

/// Computes `pull` from endpoint ?17, which is safe because an endpoint's type never changes.
inline constexpr Statement add_event{
    "INSERT INTO events (id, status, priority, claimable_at, "
    "claimed_by, " SUNDIAL_EVENT_BODY R"sql(, pull)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30,
            EXISTS (SELECT 1 FROM endpoints WHERE id = ?17 AND type = 'PULL')))sql"};
/// Updates all columns of a live event, in the order of add_event.
inline constexpr Statement update_event{
    "UPDATE events SET (status, priority, claimable_at, "
    "claimed_by, " SUNDIAL_EVENT_BODY R"sql(, pull, obstacle, line) =
           (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30,
            EXISTS (SELECT 1 FROM endpoints WHERE id = ?17 AND type = 'PULL'),
            CASE WHEN claimable_at = ?4 AND line IS NULL THEN obstacle END, NULL)
     WHERE id = ?1)sql"};
/// Updates the columns that claims and settlements change.
inline constexpr Statement move_event{R"sql(
    UPDATE events
       SET status = ?2, claimable_at = ?3, claimed_by = ?4, version = ?5, attempt = ?6,
           retry_count = ?7, first_attempt_at = ?8, updated_at = ?9, obstacle = NULL,
           line = NULL
     WHERE id = ?1)sql"};
inline constexpr Statement hold_up{"UPDATE events SET obstacle = ?2 WHERE id = ?1"};
/// The number of events deferred by each obstacle, and how many of them are PENDING.
inline constexpr Statement held_up{R"sql(
    SELECT obstacle, count(*), sum(status = 'PENDING') FROM events INDEXED BY events_held_up
     WHERE obstacle IS NOT NULL GROUP BY obstacle)sql"};
/// Extends the lease of ?1 to ?3 if it is still held. Changes no version.
inline constexpr Statement extend{R"sql(
    UPDATE events SET claimable_at = ?3
     WHERE id = ?1 AND version = ?2 AND claimed_by IS NOT NULL)sql"};
inline constexpr Statement remove_event{"DELETE FROM events WHERE id = ?1"};

inline constexpr Statement add_history{
    "INSERT INTO event_history (id, status, priority, finished_at, reason, settled_by, started_at, "
    "duration, status_code, dismissed_at, " SUNDIAL_EVENT_BODY R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35))sql"};
/// Number and instance of the attempt that ended an event.
inline constexpr Statement last_attempt{
    "SELECT attempt, settled_by FROM event_history WHERE id = ?1"};
/// The successful attempt of a COMPLETED event, in the columns of `attempt`.
inline constexpr Statement success{R"sql(
    SELECT id, attempt, 'SUCCEEDED', endpoint_id, started_at, duration, status_code, '', '', x'',
           settled_by, version - 1
      FROM event_history WHERE id = ?1 AND status = 'COMPLETED')sql"};
inline constexpr Statement dismiss{R"sql(
    UPDATE event_history SET dismissed_at = ?3, version = ?4, updated_at = ?5
     WHERE id = ?1 AND version = ?2)sql"};

inline constexpr Statement forget_user_live{
    "UPDATE events SET user_id = NULL WHERE user_id = ?1 AND claimed_by IS NOT NULL"};
inline constexpr Statement forget_user_finished{
    "UPDATE event_history SET user_id = NULL WHERE user_id = ?1"};
inline constexpr Statement count_finished_of_user{
    "SELECT status, count(*) FROM event_history WHERE user_id = ?1 GROUP BY status"};
inline constexpr Statement erase_attempts_of_user{R"sql(
    DELETE FROM attempts
     WHERE event_id IN (SELECT id FROM event_history WHERE user_id = ?1))sql"};
inline constexpr Statement erase_finished_of_user{"DELETE FROM event_history WHERE user_id = ?1"};

/// Does nothing if the key exists.
inline constexpr Statement add_key{R"sql(
    INSERT INTO event_keys (key, event_id, expires_at) VALUES (?1, ?2, ?3)
    ON CONFLICT DO NOTHING)sql"};
inline constexpr Statement key_holder{"SELECT event_id FROM event_keys WHERE key = ?1"};
/// Moves the key to event ?2, from event ?4 or if no event has it.
inline constexpr Statement move_key{R"sql(
    INSERT INTO event_keys (key, event_id, expires_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (key) DO UPDATE SET event_id = ?2, expires_at = ?3 WHERE event_id = ?4)sql"};
/// Keeps the key of event ?2 at least until ?3.
inline constexpr Statement keep_key{R"sql(
    UPDATE event_keys SET expires_at = ?3 WHERE key = ?1 AND event_id = ?2 AND expires_at < ?3)sql"};
inline constexpr Statement remove_key{"DELETE FROM event_keys WHERE key = ?1"};
/// Removes the key if event ?2 has it.
inline constexpr Statement free_key{"DELETE FROM event_keys WHERE key = ?1 AND event_id = ?2"};

inline constexpr Statement add_attempt{R"sql(
    INSERT INTO attempts (event_id, number, outcome, endpoint_id, started_at, duration, status_code,
                          error_code, error_text, response_body, instance_id, recorded_at, held)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
    ON CONFLICT DO NOTHING)sql"};
/// Parameters as the columns of add_attempt. Holder and version stay.
inline constexpr Statement update_attempt{R"sql(
    UPDATE attempts
       SET outcome = ?3, endpoint_id = ?4, started_at = ?5, duration = ?6, status_code = ?7,
           error_code = ?8, error_text = ?9, response_body = ?10, recorded_at = ?11
     WHERE event_id = ?1 AND number = ?2)sql"};
inline constexpr Statement attempt{R"sql(
    SELECT event_id, number, outcome, endpoint_id, started_at, duration, status_code, error_code,
           error_text, response_body, instance_id, held
      FROM attempts WHERE event_id = ?1 AND number = ?2)sql"};
inline constexpr Statement attempts{R"sql(
    SELECT event_id, number, outcome, endpoint_id, started_at, duration, status_code, error_code,
           error_text, response_body, instance_id, held
      FROM attempts WHERE event_id = ?1 ORDER BY number)sql"};
inline constexpr Statement remove_attempts{"DELETE FROM attempts WHERE event_id = ?1"};

}  // namespace sundial::sqlite::sql
