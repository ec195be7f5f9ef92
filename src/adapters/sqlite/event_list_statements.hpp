#pragma once

#include "adapters/sqlite/event_statements.hpp"

/// Lists of events: one complete statement for each order, made by the preprocessor from literals;
/// the ones of a user, or with a key, walk an index and not everything there is.
///
/// Every filter is off while its parameter is null. ?1 statuses, ?2 priorities, ?3 types, ?4 zones
/// (JSON arrays), ?5 user, ?6 schedule, ?7 endpoint, ?8 and ?9 due from and to, ?10 and ?11
/// executed from and to, ?12 late, ?13 dismissed, ?14 key, ?15 prefix of id or key, ?16 and ?17 the
/// ids that begin with it (null: it begins none); ?18 id and ?19 value of the last row of the page
/// before (null: the first page; value alone null: it had none), ?20 limit. Rows without the value
/// that they are ordered by come last in both directions.
#define SUNDIAL_LIST_EVENTS(name, value, beyond, direction, narrowed)           \
    inline constexpr Statement name{                                            \
        "SELECT " SUNDIAL_EVENT " FROM v_events WHERE " narrowed                \
        " AND (?1 IS NULL OR status IN (SELECT value FROM json_each(?1)))"      \
        " AND (?2 IS NULL OR priority IN (SELECT value FROM json_each(?2)))"    \
        " AND (?3 IS NULL OR event_type IN (SELECT value FROM json_each(?3)))"  \
        " AND (?4 IS NULL OR zone IN (SELECT value FROM json_each(?4)))"        \
        " AND (?5 IS NULL OR user_id = ?5)"                                     \
        " AND (?6 IS NULL OR schedule_id = ?6)"                                 \
        " AND (?7 IS NULL OR endpoint_id = ?7)"                                 \
        " AND (?8 IS NULL OR due >= ?8)"                                        \
        " AND (?9 IS NULL OR due < ?9)"                                         \
        " AND (?10 IS NULL OR executed_at >= ?10)"                              \
        " AND (?11 IS NULL OR executed_at < ?11)"                               \
        " AND (?12 IS NULL OR coalesce(lateness > 1000000, 0) = ?12)"           \
        " AND (?13 IS NULL OR (dismissed_at IS NOT NULL) = ?13)"                \
        " AND (?14 IS NULL OR idempotency_key = ?14)"                           \
        " AND (?15 IS NULL OR id BETWEEN ?16 AND ?17"                           \
        "      OR substr(idempotency_key, 1, length(?15)) = ?15)"               \
        " AND (?18 IS NULL"                                                     \
        "      OR (?19 IS NULL AND " value " IS NULL AND id " beyond            \
        " ?18)"                                                                 \
        "      OR (?19 IS NOT NULL AND (" value " IS NULL OR " value " " beyond \
        " ?19"                                                                  \
        "          OR (" value " = ?19 AND id " beyond                          \
        " ?18))))"                                                              \
        " ORDER BY " value " " direction " NULLS LAST, id " direction " LIMIT ?20"}

/// The current event of the key ?14, and those that it is a retry of.
#define SUNDIAL_WITH_KEY                                                   \
    "id IN (WITH RECURSIVE chain(event) AS ("                              \
    "  SELECT event_id FROM event_keys WHERE key = ?14 UNION"              \
    "  SELECT retry_of FROM chain CROSS JOIN v_events ON id = chain.event" \
    "   WHERE retry_of IS NOT NULL) SELECT event FROM chain)"

#define SUNDIAL_LIST_EVENTS_BY(name, value)                                       \
    SUNDIAL_LIST_EVENTS(name, value, ">", "ASC", "1");                            \
    SUNDIAL_LIST_EVENTS(name##_down, value, "<", "DESC", "1");                    \
    SUNDIAL_LIST_EVENTS(name##_of_user, value, ">", "ASC", "user_id = ?5");       \
    SUNDIAL_LIST_EVENTS(name##_of_user_down, value, "<", "DESC", "user_id = ?5"); \
    SUNDIAL_LIST_EVENTS(name##_with_key, value, ">", "ASC", SUNDIAL_WITH_KEY);    \
    SUNDIAL_LIST_EVENTS(name##_with_key_down, value, "<", "DESC", SUNDIAL_WITH_KEY)

namespace sundial::sqlite::sql {

SUNDIAL_LIST_EVENTS_BY(events_by_target, "due");
SUNDIAL_LIST_EVENTS_BY(events_by_execution, "executed_at");
SUNDIAL_LIST_EVENTS_BY(events_by_creation, "created_at");
SUNDIAL_LIST_EVENTS_BY(events_by_lateness, "lateness");

}  // namespace sundial::sqlite::sql

#undef SUNDIAL_LIST_EVENTS_BY
#undef SUNDIAL_WITH_KEY
#undef SUNDIAL_LIST_EVENTS
