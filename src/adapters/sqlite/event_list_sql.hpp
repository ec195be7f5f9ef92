#pragma once

#include "adapters/sqlite/event_sql.hpp"

/// Lists of events. Each order is one complete statement, which the preprocessor builds from
/// literals. SQLite merges one arm for live and one for finished events; each arm stops when the
/// page is full. Ordered by target or creation, each arm reads an index in that order, however
/// large the table is (ADR 0023). Lists of a user or with a key use the user's or the key's index.
///
/// A filter is off if its parameter is null. ?1 statuses, ?2 priorities, ?3 types, ?4 zones (JSON
/// arrays), ?5 user, ?6 schedule, ?7 endpoint, ?8 and ?9 due from and to, ?10 and ?11 executed from
/// and to, ?12 late, ?13 dismissed, ?14 key, ?15 prefix of id or key, ?16 and ?17 first and last id
/// with that prefix (null: no id has it); ?18 id and ?19 sort value of the previous page's last row
/// (null: the first page; only the value null: the row had none), ?20 limit, ?21 prefix of the
/// reason, ?22 reasons of waiting (JSON array). Rows without a sort value come last in both
/// directions. The orders by target and by creation also take the place at which the page ends
/// although it is not full: ?23 id and ?24 due (null: none).
#define SUNDIAL_LISTED(from, executed, dismissed, reason, waits, value, beyond, narrowed) \
    " FROM " from " WHERE " narrowed                                                      \
    " AND (?1 IS NULL OR status IN (SELECT value FROM json_each(?1)))"                    \
    " AND (?2 IS NULL OR priority IN (SELECT value FROM json_each(?2)))"                  \
    " AND (?3 IS NULL OR event_type IN (SELECT value FROM json_each(?3)))"                \
    " AND (?4 IS NULL OR zone IN (SELECT value FROM json_each(?4)))"                      \
    " AND (?5 IS NULL OR user_id = ?5)"                                                   \
    " AND (?6 IS NULL OR schedule_id = ?6)"                                               \
    " AND (?7 IS NULL OR endpoint_id = ?7)"                                               \
    " AND (?8 IS NULL OR due >= ?8)"                                                      \
    " AND (?9 IS NULL OR due < ?9)"                                                       \
    " AND (?10 IS NULL OR " executed                                                      \
    " >= ?10)"                                                                            \
    " AND (?11 IS NULL OR " executed                                                      \
    " < ?11)"                                                                             \
    " AND (?12 IS NULL OR coalesce(first_attempt_at - due - jitter > 1000000, 0) = ?12)"  \
    " AND (?13 IS NULL OR (" dismissed                                                    \
    " IS NOT NULL) = ?13)"                                                                \
    " AND (?14 IS NULL OR idempotency_key = ?14)"                                         \
    " AND (?15 IS NULL OR id BETWEEN ?16 AND ?17"                                         \
    "      OR substr(idempotency_key, 1, length(?15)) = ?15)"                             \
    " AND (?21 IS NULL OR substr(" reason                                                 \
    ", 1, length(?21)) = ?21)"                                                            \
    " AND (?22 IS NULL OR " waits                                                         \
    " IN (SELECT value FROM json_each(?22)))"                                             \
    " AND (?18 IS NULL"                                                                   \
    "      OR (?19 IS NULL AND " value " IS NULL AND id " beyond                          \
    " ?18)"                                                                               \
    "      OR (?19 IS NOT NULL AND (" value " IS NULL OR " value " " beyond               \
    " ?19"                                                                                \
    "          OR (" value " = ?19 AND id " beyond " ?18))))"

/// The reason why a live event waits, as `waiting_for` in the domain.
#define SUNDIAL_WAITS                                                                     \
    "(CASE WHEN claimed_by IS NOT NULL THEN NULL WHEN obstacle IS NOT NULL THEN obstacle" \
    " WHEN claimable_at = 9223372036854775807"                                            \
    " THEN CASE status WHEN 'PENDING' THEN 'SCHEDULE' ELSE 'ENDPOINT' END"                \
    " WHEN status = 'PROCESSING' THEN 'RETRY' END)"
#define SUNDIAL_EXECUTED "CASE WHEN status <> 'CANCELLED' THEN finished_at END"

#define SUNDIAL_LIST_EVENTS(name, column, live, finished, beyond, direction, narrowed)          \
    inline constexpr Statement name{                                                            \
        "SELECT " SUNDIAL_LIVE_EVENT                                                            \
        ", NULL AS executed_at, first_attempt_at - due - jitter AS lateness" SUNDIAL_LISTED(    \
            "events", "NULL", "NULL", "NULL", SUNDIAL_WAITS, live, beyond,                      \
            narrowed) " UNION ALL SELECT " SUNDIAL_FINISHED_EVENT ", " SUNDIAL_EXECUTED         \
                      ", first_attempt_at - due - jitter" SUNDIAL_LISTED(                       \
                          "event_history", "(" SUNDIAL_EXECUTED ")", "dismissed_at", "reason",  \
                          "NULL", finished, beyond, narrowed) " ORDER BY " column " " direction \
                                                              ", id " direction " LIMIT ?20"}

/// The current event of key ?14, and the events that it retries.
#define SUNDIAL_WITH_KEY                                                       \
    "id IN (WITH RECURSIVE chain(event) AS ("                                  \
    "  SELECT event_id FROM event_keys WHERE key = ?14 UNION"                  \
    "  SELECT coalesce((SELECT retry_of FROM events WHERE id = event),"        \
    "                  (SELECT retry_of FROM event_history WHERE id = event))" \
    "    FROM chain WHERE event IS NOT NULL) SELECT event FROM chain)"

/// `live` and `finished` are the value in either arm, `column` its name. `up` and `down` are the
/// directions, including where rows without a value go.
#define SUNDIAL_LIST_FEW_EVENTS_BY(name, column, live, finished, up, down)                       \
    SUNDIAL_LIST_EVENTS(name##_of_user, column, live, finished, ">", up, "user_id = ?5");        \
    SUNDIAL_LIST_EVENTS(name##_of_user_down, column, live, finished, "<", down, "user_id = ?5"); \
    SUNDIAL_LIST_EVENTS(name##_with_key, column, live, finished, ">", up, SUNDIAL_WITH_KEY);     \
    SUNDIAL_LIST_EVENTS(name##_with_key_down, column, live, finished, "<", down, SUNDIAL_WITH_KEY)

#define SUNDIAL_EARLIEST "-9223372036854775807"
#define SUNDIAL_LATEST "9223372036854775807"
/// Start and end of an arm by due. The planner does not know the values, so a value that may be
/// null must still be a bound.
#define SUNDIAL_DUE_UP                                                                    \
    "due BETWEEN max(coalesce(?8, " SUNDIAL_EARLIEST "), coalesce(?19, " SUNDIAL_EARLIEST \
    "))"                                                                                  \
    " AND min(coalesce(?9, " SUNDIAL_LATEST "), coalesce(?24, " SUNDIAL_LATEST            \
    "))"                                                                                  \
    " AND (?24 IS NULL OR due < ?24 OR id <= ?23)"
#define SUNDIAL_DUE_DOWN                                                                  \
    "due BETWEEN max(coalesce(?8, " SUNDIAL_EARLIEST "), coalesce(?24, " SUNDIAL_EARLIEST \
    "))"                                                                                  \
    " AND min(coalesce(?9, " SUNDIAL_LATEST "), coalesce(?19, " SUNDIAL_LATEST            \
    "))"                                                                                  \
    " AND (?24 IS NULL OR due > ?24 OR id >= ?23)"
#define SUNDIAL_LOWEST_ID "x''"
#define SUNDIAL_HIGHEST_ID "x'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'"
#define SUNDIAL_ID_UP                       \
    "id > coalesce(?18, " SUNDIAL_LOWEST_ID \
    ")"                                     \
    " AND id <= coalesce(?23, " SUNDIAL_HIGHEST_ID ") AND ?24 IS NULL"
#define SUNDIAL_ID_DOWN                      \
    "id < coalesce(?18, " SUNDIAL_HIGHEST_ID \
    ")"                                      \
    " AND id >= coalesce(?23, " SUNDIAL_LOWEST_ID ") AND ?24 IS NULL"
#define SUNDIAL_LATENESS "first_attempt_at - due - jitter"
/// An arm is not read unless one of its statuses is requested: SQLite evaluates conditions without
/// columns first.
#define SUNDIAL_WANTED(status) "(?1 IS NULL OR instr(?1, '\"" status "\"') > 0)"
#define SUNDIAL_ANY_FINISHED_WANTED                                                        \
    "(" SUNDIAL_WANTED("COMPLETED") " OR " SUNDIAL_WANTED("FAILED") " OR " SUNDIAL_WANTED( \
        "CANCELLED") ")"

#define SUNDIAL_LIVE_ARM(from, value, beyond, narrowed)                                       \
    "SELECT " SUNDIAL_LIVE_EVENT ", NULL AS executed_at, " SUNDIAL_LATENESS                   \
    " AS lateness" SUNDIAL_LISTED(from, "NULL", "NULL", "NULL", SUNDIAL_WAITS, value, beyond, \
                                  narrowed)
#define SUNDIAL_FINISHED_ARM(from, value, beyond, narrowed)                                 \
    " UNION ALL SELECT " SUNDIAL_FINISHED_EVENT ", " SUNDIAL_EXECUTED ", " SUNDIAL_LATENESS \
    SUNDIAL_LISTED(from, "(" SUNDIAL_EXECUTED ")", "dismissed_at", "reason", "NULL", value, \
                   beyond, narrowed)

#define SUNDIAL_LIST_BY_DUE(name, beyond, bounds, direction)                                            \
    inline constexpr Statement name{                                                                    \
        SUNDIAL_LIVE_ARM(                                                                               \
            "events INDEXED BY events_pending_by_due", "due", beyond,                                   \
            "status = 'PENDING' AND " SUNDIAL_WANTED(                                                   \
                "PENDING") " AND " bounds) " UNION ALL " SUNDIAL_LIVE_ARM("events INDEXED BY "          \
                                                                          "events_under_way_by_"        \
                                                                          "due",                        \
                                                                          "due", beyond,                \
                                                                          "status = 'PROCESSING' "      \
                                                                          "AND " SUNDIAL_WANTED(        \
                                                                              "PROCESSING") " AND"      \
                                                                                            " " bounds) \
            SUNDIAL_FINISHED_ARM(                                                                       \
                "event_history INDEXED BY event_history_completed_by_due", "due", beyond,               \
                "status = 'COMPLETED' AND " SUNDIAL_WANTED("COMPLETED") " AND " bounds)                 \
                SUNDIAL_FINISHED_ARM(                                                                   \
                    "event_history INDEXED BY event_history_others_by_due", "due", beyond,              \
                    "status <> 'COMPLETED' AND (" SUNDIAL_WANTED("FAILED") " OR " SUNDIAL_WANTED(       \
                        "CANCELLED") ") AND " bounds) " ORDER BY due " direction ", id " direction      \
                                                      " LIMIT ?20"}
#define SUNDIAL_LIST_BY_ID(name, beyond, bounds, direction)                                    \
    inline constexpr Statement name{                                                           \
        SUNDIAL_LIVE_ARM(                                                                      \
            "events", "NULL", beyond,                                                          \
            "(" SUNDIAL_WANTED("PENDING") " OR " SUNDIAL_WANTED("PROCESSING") ") AND " bounds) \
            SUNDIAL_FINISHED_ARM("event_history", "NULL", beyond,                              \
                                 SUNDIAL_ANY_FINISHED_WANTED                                   \
                                 " AND " bounds) " ORDER BY id " direction " LIMIT ?20"}
/// Finds events executed since ?10 by their finish time, in an order that has no index.
#define SUNDIAL_LIST_EXECUTED(name, column, live, finished, beyond, direction)       \
    inline constexpr Statement name{                                                 \
        SUNDIAL_LIVE_ARM("events", live, beyond, "?10 IS NULL AND ?11 IS NULL")      \
            SUNDIAL_FINISHED_ARM(                                                    \
                "event_history INDEXED BY event_history_finished", finished, beyond, \
                "finished_at >= coalesce(?10, " SUNDIAL_EARLIEST ")"                 \
                " AND finished_at <= coalesce(?11, " SUNDIAL_LATEST                  \
                ")") " ORDER BY " column " " direction " NULLS LAST, id " direction " LIMIT ?20"}

/// Where a page ends that passes many events: id and due of the event after ?6 others. ?1 statuses,
/// ?2 and ?3 due from and to, ?4 id and ?5 due of the previous page's last row. Reads indexes only.
#define SUNDIAL_PASSED_UP                                                           \
    "due >= max(coalesce(?2, " SUNDIAL_EARLIEST "), coalesce(?5, " SUNDIAL_EARLIEST \
    ")) AND due < coalesce(?3, " SUNDIAL_LATEST                                     \
    ")"                                                                             \
    " AND (?4 IS NULL OR due > ?5 OR id > ?4)"
#define SUNDIAL_PASSED_DOWN                                                     \
    "due <= min(coalesce(?3, " SUNDIAL_LATEST "), coalesce(?5, " SUNDIAL_LATEST \
    ")) AND due >= coalesce(?2, " SUNDIAL_EARLIEST                              \
    ")"                                                                         \
    " AND (?3 IS NULL OR due < ?3) AND (?4 IS NULL OR due < ?5 OR id < ?4)"
#define SUNDIAL_PASSED_IN(from, standing, bounds) \
    "SELECT id, due FROM " from " WHERE " standing " AND " bounds
#define SUNDIAL_PASSED_BY_DUE(name, bounds, direction) \
    inline constexpr Statement name{                                                               \
        SUNDIAL_PASSED_IN("events INDEXED BY events_pending_by_due",                               \
                          "status = 'PENDING' AND " SUNDIAL_WANTED("PENDING"), bounds) " UNION ALL " \
        SUNDIAL_PASSED_IN("events INDEXED BY events_under_way_by_due",                             \
                          "status = 'PROCESSING' AND " SUNDIAL_WANTED("PROCESSING"),               \
                          bounds) " UNION ALL "                                                    \
        SUNDIAL_PASSED_IN("event_history INDEXED BY event_history_completed_by_due",               \
                          "status = 'COMPLETED' AND " SUNDIAL_WANTED("COMPLETED"),                 \
                          bounds) " UNION ALL "                                                    \
        SUNDIAL_PASSED_IN("event_history INDEXED BY event_history_others_by_due",                  \
                          "status <> 'COMPLETED' AND (" SUNDIAL_WANTED("FAILED") " OR "            \
                          SUNDIAL_WANTED("CANCELLED") ")", bounds)                                 \
        " ORDER BY due " direction ", id " direction " LIMIT 1 OFFSET ?6"}
#define SUNDIAL_PASSED_BY_ID(name, beyond, none, direction)                                        \
    inline constexpr Statement name{"SELECT id FROM events WHERE id " beyond " coalesce(?4, " none \
                                    ") UNION ALL SELECT id FROM event_history WHERE id " beyond    \
                                    " coalesce(?4, " none                                          \
                                    ")"                                                            \
                                    " ORDER BY id " direction " LIMIT 1 OFFSET ?6"}

namespace sundial::sqlite::sql {

SUNDIAL_PASSED_BY_DUE(passed_by_target, SUNDIAL_PASSED_UP, "ASC");
SUNDIAL_PASSED_BY_DUE(passed_by_target_down, SUNDIAL_PASSED_DOWN, "DESC");
SUNDIAL_PASSED_BY_ID(passed_by_creation, ">", SUNDIAL_LOWEST_ID, "ASC");
SUNDIAL_PASSED_BY_ID(passed_by_creation_down, "<", SUNDIAL_HIGHEST_ID, "DESC");

SUNDIAL_LIST_BY_DUE(events_by_target, ">", SUNDIAL_DUE_UP, "ASC");
SUNDIAL_LIST_BY_DUE(events_by_target_down, "<", SUNDIAL_DUE_DOWN, "DESC");
SUNDIAL_LIST_FEW_EVENTS_BY(events_by_target, "due", "due", "due", "ASC", "DESC");

/// An id begins with its creation time.
SUNDIAL_LIST_BY_ID(events_by_creation, ">", SUNDIAL_ID_UP, "ASC");
SUNDIAL_LIST_BY_ID(events_by_creation_down, "<", SUNDIAL_ID_DOWN, "DESC");
SUNDIAL_LIST_FEW_EVENTS_BY(events_by_creation, "id", "NULL", "NULL", "ASC", "DESC");

SUNDIAL_LIST_EXECUTED(events_by_execution, "executed_at", "NULL", "(" SUNDIAL_EXECUTED ")", ">",
                      "ASC");
SUNDIAL_LIST_EXECUTED(events_by_execution_down, "executed_at", "NULL", "(" SUNDIAL_EXECUTED ")",
                      "<", "DESC");
SUNDIAL_LIST_FEW_EVENTS_BY(events_by_execution, "executed_at", "NULL", "(" SUNDIAL_EXECUTED ")",
                           "ASC NULLS LAST", "DESC NULLS LAST");

SUNDIAL_LIST_EXECUTED(events_by_lateness, "lateness", "(" SUNDIAL_LATENESS ")",
                      "(" SUNDIAL_LATENESS ")", ">", "ASC");
SUNDIAL_LIST_EXECUTED(events_by_lateness_down, "lateness", "(" SUNDIAL_LATENESS ")",
                      "(" SUNDIAL_LATENESS ")", "<", "DESC");
SUNDIAL_LIST_FEW_EVENTS_BY(events_by_lateness, "lateness", "(" SUNDIAL_LATENESS ")",
                           "(" SUNDIAL_LATENESS ")", "ASC NULLS LAST", "DESC NULLS LAST");

/// The parts of a walk, and the number of rows in all of them: the parameters of a list, and ?23
/// until. Each part starts in the index where the previous part ended.
#define SUNDIAL_WALK_LIVE                                                        \
    SUNDIAL_LISTED("events", "NULL", "NULL", "NULL", SUNDIAL_WAITS, "NULL", ">", \
                   "created_at <= ?23 AND id > coalesce(?18, x'')")
#define SUNDIAL_WALK_FAILED(from, standing)                                                   \
    SUNDIAL_LISTED(from, "finished_at", "dismissed_at", "reason", "NULL", "finished_at", ">", \
                   standing                                                                   \
                   " AND finished_at <= ?23"                                                  \
                   " AND finished_at >= coalesce(?19, -9223372036854775807)")
#define SUNDIAL_WALK_DEAD_LETTERS                                \
    SUNDIAL_WALK_FAILED("event_history INDEXED BY dead_letters", \
                        "status = 'FAILED' AND dismissed_at IS NULL")

inline constexpr Statement walk_live{"SELECT " SUNDIAL_LIVE_EVENT SUNDIAL_WALK_LIVE
                                     " ORDER BY id LIMIT ?20"};
inline constexpr Statement count_live{"SELECT count(*)" SUNDIAL_WALK_LIVE};
/// If dismissed events are included, all finished events are scanned.
inline constexpr Statement walk_failed{"SELECT " SUNDIAL_FINISHED_EVENT SUNDIAL_WALK_FAILED(
    "event_history", "status = 'FAILED'") " ORDER BY finished_at, id LIMIT ?20"};
inline constexpr Statement count_failed{
    "SELECT count(*)" SUNDIAL_WALK_FAILED("event_history", "status = 'FAILED'")};
inline constexpr Statement walk_dead_letters{
    "SELECT " SUNDIAL_FINISHED_EVENT SUNDIAL_WALK_DEAD_LETTERS
    " ORDER BY finished_at, id LIMIT ?20"};
inline constexpr Statement count_dead_letters{"SELECT count(*)" SUNDIAL_WALK_DEAD_LETTERS};

/// PENDING events due from ?1 to ?2, at most ?3, with what a count of them needs.
inline constexpr Statement planned{
    "SELECT id, due, due + jitter,"
    " obstacle IS NULL AND claimable_at = " SUNDIAL_LATEST
    " AND (wall IS NULL OR tz_release <> ''),"
    " schedule_id IS NOT NULL AND user_id IS NULL AND origin = 'rule', zone, endpoint_id"
    " FROM events INDEXED BY events_pending_by_due"
    " WHERE status = 'PENDING' AND due >= ?1 AND due < ?2 ORDER BY due, id LIMIT ?3"};

/// Newest first. ?1 limit.
inline constexpr Statement newest_dead_letters{R"sql(
    SELECT reason, endpoint_id, finished_at, id FROM event_history INDEXED BY dead_letters
     WHERE status = 'FAILED' AND dismissed_at IS NULL
     ORDER BY finished_at DESC, id DESC LIMIT ?1)sql"};

/// Events that ended from ?1 to ?2 (null: since), at most ?3.
#define SUNDIAL_COUNT_ENDED(name, only)                                      \
    inline constexpr Statement name{                                         \
        "SELECT count(*) FROM (SELECT 1 FROM event_history INDEXED BY"       \
        " event_history_finished WHERE finished_at >= ?1 AND finished_at < " \
        "coalesce(?2, " SUNDIAL_LATEST ")" only " LIMIT ?3)"}
SUNDIAL_COUNT_ENDED(count_ended, "");
SUNDIAL_COUNT_ENDED(count_executed, " AND status <> 'CANCELLED'");
#undef SUNDIAL_COUNT_ENDED
/// Attempts that ended in [?1, ?2), with the successes that history rows record. ?3 the most rows
/// of either kind to count.
inline constexpr Statement count_attempts{R"sql(
    SELECT (SELECT count(*) FROM (SELECT 1 FROM attempts
                                   WHERE recorded_at >= ?1 AND recorded_at < ?2 LIMIT ?3))
         + (SELECT count(*) FROM (SELECT 1 FROM event_history INDEXED BY event_history_finished
                                   WHERE finished_at >= ?1 AND finished_at < ?2 LIMIT ?3)))sql"};
#define SUNDIAL_ATTEMPTS_LISTED(when)                                       \
    " AND (?3 IS NULL OR endpoint_id = ?3)"                                 \
    " AND (?4 IS NULL OR status_code IN (SELECT value FROM json_each(?4)))" \
    " AND (?5 IS NULL OR " when " < ?5 OR (" when " = ?5 AND event_id < ?6))"
/// `of_attempts` and `of_history` narrow either table. ?3 endpoint, ?4 status codes (JSON array),
/// ?5 end and ?6 event of the previous page's last attempt, ?7 outcomes (JSON array); each null for
/// none. ?8 limit.
#define SUNDIAL_LIST_ATTEMPTS(name, of_attempts, of_history) \
    inline constexpr Statement name{                                                             \
        "SELECT event_id, number, outcome, endpoint_id, started_at, duration, status_code,"      \
        " error_code, error_text, response_body, instance_id, held, recorded_at AS ended"        \
        " FROM attempts WHERE " of_attempts SUNDIAL_ATTEMPTS_LISTED("recorded_at")               \
        " AND (?7 IS NULL OR outcome IN (SELECT value FROM json_each(?7)))"                      \
        " UNION ALL "                                                                            \
        "SELECT * FROM (SELECT id AS event_id, attempt, 'SUCCEEDED', endpoint_id, started_at,"   \
        " duration, status_code, '', '', x'', settled_by, version - 1, finished_at AS ended"     \
        " FROM event_history WHERE status = 'COMPLETED' AND " of_history                         \
        " AND (?7 IS NULL OR instr(?7, '\"SUCCEEDED\"') > 0))"                                   \
        " WHERE true" SUNDIAL_ATTEMPTS_LISTED("ended") " ORDER BY ended DESC, event_id DESC"     \
        " LIMIT ?8"}
/// Of all events: ?1 from, ?2 to.
SUNDIAL_LIST_ATTEMPTS(latest_attempts, "recorded_at >= ?1 AND recorded_at < ?2",
                      "finished_at >= ?1 AND finished_at < ?2");
/// Of one event: ?9. ?1 from, ?2 to.
SUNDIAL_LIST_ATTEMPTS(latest_attempts_of_event,
                      "event_id = ?9 AND recorded_at >= ?1 AND recorded_at < ?2",
                      "id = ?9 AND +finished_at >= ?1 AND +finished_at < ?2");
#undef SUNDIAL_LIST_ATTEMPTS
#undef SUNDIAL_ATTEMPTS_LISTED

}  // namespace sundial::sqlite::sql
