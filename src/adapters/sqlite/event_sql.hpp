#pragma once

#include "adapters/sqlite/value.hpp"

/// The columns that `read_event` reads. `body_of` binds the second half.
#define SUNDIAL_EVENT_BODY                                                                   \
    "version, attempt, retry_count, due, jitter, first_attempt_at, created_at, updated_at, " \
    "idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, "     \
    "nominal, nominal_time, second_pass, origin, wall, zone, gap, overlap, tz_release, "     \
    "retry_of, payload, traceparent"
#define SUNDIAL_EVENT                                                                 \
    "id, status, priority, claimable_at, claimed_by, obstacle, finished_at, reason, " \
    "dismissed_at, dismissal_note, dismissed_by, " SUNDIAL_EVENT_BODY
#define SUNDIAL_LIVE_EVENT                                                   \
    "id, status, priority, claimable_at, claimed_by, obstacle, NULL, NULL, " \
    "NULL, NULL, NULL, " SUNDIAL_EVENT_BODY
#define SUNDIAL_FINISHED_EVENT                                                     \
    "id, status, priority, 9223372036854775807, NULL, NULL, finished_at, reason, " \
    "dismissed_at, dismissal_note, dismissed_by, " SUNDIAL_EVENT_BODY

/// The types of the live events without an endpoint. Goes from type to type in the index, however
/// many events each has.
#define SUNDIAL_TYPES_TO_HANDLE                                                         \
    " WITH RECURSIVE lane(type) AS ("                                                   \
    " SELECT min(event_type) FROM events INDEXED BY events_to_handle"                   \
    " WHERE endpoint_id IS NULL"                                                        \
    " UNION ALL SELECT (SELECT min(event_type) FROM events INDEXED BY events_to_handle" \
    " WHERE endpoint_id IS NULL AND event_type > lane.type)"                            \
    " FROM lane WHERE lane.type IS NOT NULL)"                                           \
    " SELECT type FROM lane WHERE type IS NOT NULL"

/// SQL of events. The only shard is 0. A write after a claim needs no condition on the version:
/// only one connection writes, so the version compared in the same transaction is the version
/// replaced.
namespace sundial::sqlite::sql {

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
/// ?1 endpoint, ?2 limit.
inline constexpr Statement unclaimed_of_endpoint{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_of_endpoint
     WHERE endpoint_id = ?1 AND claimed_by IS NULL
     LIMIT ?2)sql"};
inline constexpr Statement count_live_of_endpoint{R"sql(
    SELECT count(*) FROM events INDEXED BY events_of_endpoint WHERE endpoint_id = ?1)sql"};
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
/// ?1 schedule.
inline constexpr Statement planned_by_rule{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_of_schedule
     WHERE schedule_id = ?1 AND user_id IS NULL AND status = 'PENDING' AND origin = 'rule')sql"};
/// ?1 endpoint, ?2 never, ?3 limit.
inline constexpr Statement parked_of_endpoint{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events
     WHERE endpoint_id = ?1 AND claimable_at = ?2 AND status = 'PROCESSING'
     LIMIT ?3)sql"};

/// ?1 never, ?2 limit.
inline constexpr Statement parked_of_none{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_to_handle
     WHERE endpoint_id IS NULL AND priority IN (0, 1, 2, 3) AND claimable_at = ?1
       AND status = 'PROCESSING' AND event_type IN ()sql" SUNDIAL_TYPES_TO_HANDLE ") LIMIT ?2"};

/// Events of endpoint ?1 that wait for obstacle ?2. ?3 now, ?4 limit.
inline constexpr Statement held_up_events{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_held_up
     WHERE endpoint_id = ?1 AND obstacle = ?2 AND claimable_at > ?3
     LIMIT ?4)sql"};
/// Events of endpoint ?1 that wait for a retry. ?2 now, ?3 never, ?4 limit.
inline constexpr Statement events_to_retry{"SELECT " SUNDIAL_LIVE_EVENT R"sql(
      FROM events INDEXED BY events_of_endpoint
     WHERE endpoint_id = ?1 AND status = 'PROCESSING' AND claimed_by IS NULL AND obstacle IS NULL
       AND claimable_at > ?2 AND claimable_at < ?3
     LIMIT ?4)sql"};

/// Computes `pull` from endpoint ?17, which is safe because an endpoint's type never changes.
inline constexpr Statement add_event{
    "INSERT INTO events (id, status, priority, claimable_at, "
    "claimed_by, " SUNDIAL_EVENT_BODY R"sql(, pull)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31,
            EXISTS (SELECT 1 FROM endpoints WHERE id = ?17 AND type = 'PULL')))sql"};
/// Updates all columns of a live event, in the order of add_event, then the obstacle.
inline constexpr Statement update_event{
    "UPDATE events SET (status, priority, claimable_at, "
    "claimed_by, " SUNDIAL_EVENT_BODY R"sql(, pull, obstacle) =
           (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31,
            EXISTS (SELECT 1 FROM endpoints WHERE id = ?17 AND type = 'PULL'), ?32)
     WHERE id = ?1)sql"};
/// Updates the columns that claims and settlements change.
inline constexpr Statement move_event{R"sql(
    UPDATE events
       SET status = ?2, claimable_at = ?3, claimed_by = ?4, version = ?5, attempt = ?6,
           retry_count = ?7, first_attempt_at = ?8, updated_at = ?9, obstacle = ?10
     WHERE id = ?1)sql"};

inline constexpr Statement remove_event{"DELETE FROM events WHERE id = ?1"};

inline constexpr Statement add_history{
    "INSERT INTO event_history (id, status, priority, finished_at, reason, settled_by, started_at, "
    "duration, status_code, dismissed_at, " SUNDIAL_EVENT_BODY R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35,
            ?36))sql"};
/// Number and instance of the attempt that ended an event.
inline constexpr Statement last_attempt{
    "SELECT attempt, settled_by FROM event_history WHERE id = ?1"};
/// The successful attempt of a COMPLETED event, in the columns of `attempt`.
inline constexpr Statement success{R"sql(
    SELECT id, attempt, 'SUCCEEDED', endpoint_id, started_at, duration, status_code, '', '', x'',
           settled_by, version - 1
      FROM event_history WHERE id = ?1 AND status = 'COMPLETED')sql"};
inline constexpr Statement dismiss{R"sql(
    UPDATE event_history SET dismissed_at = ?3, version = ?4, updated_at = ?5, dismissal_note = ?6,
                             dismissed_by = ?7
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
/// Takes a free key over for event ?2.
inline constexpr Statement take_key{R"sql(
    UPDATE event_keys SET event_id = ?2, expires_at = max(expires_at, ?3), free = 0
     WHERE key = ?1 AND free)sql"};
inline constexpr Statement attempt_of_key{"SELECT attempt FROM event_keys WHERE key = ?1"};
/// Makes the key of event ?2 free (?3), or not. ?4 the event's attempt.
inline constexpr Statement set_key_free{R"sql(
    UPDATE event_keys SET free = ?3, attempt = ?4 WHERE key = ?1 AND event_id = ?2)sql"};
inline constexpr Statement key_holder{"SELECT event_id FROM event_keys WHERE key = ?1"};
/// Moves the key to event ?2, from event ?4 or if no event has it.
inline constexpr Statement move_key{R"sql(
    INSERT INTO event_keys (key, event_id, expires_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (key) DO UPDATE SET event_id = ?2, expires_at = ?3, free = 0
     WHERE event_id = ?4)sql"};
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
