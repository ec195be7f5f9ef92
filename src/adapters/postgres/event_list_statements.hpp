#pragma once

#include "adapters/postgres/statement.hpp"

/// Lists of events: one complete statement for each order, made by the preprocessor from literals.

/// Every filter is off while its parameter is null. $1 statuses, $2 priorities, $3 types, $4 zones,
/// $5 user, $6 schedule, $7 endpoint, $8 and $9 due from and to, $10 and $11 executed from and to,
/// $12 late, $13 dismissed, $14 key, $15 prefix of id or key, $16 prefix of the reason.
#define SUNDIAL_FILTERED_EVENTS                                              \
    " FROM sundial.v_events"                                                 \
    " WHERE ($1::text[] IS NULL OR status = ANY ($1))"                       \
    " AND ($2::smallint[] IS NULL OR priority = ANY ($2))"                   \
    " AND ($3::text[] IS NULL OR event_type = ANY ($3))"                     \
    " AND ($4::text[] IS NULL OR zone = ANY ($4))"                           \
    " AND ($5::uuid IS NULL OR user_id = $5)"                                \
    " AND ($6::uuid IS NULL OR schedule_id = $6)"                            \
    " AND ($7::uuid IS NULL OR endpoint_id = $7)"                            \
    " AND ($8::timestamptz IS NULL OR due >= $8)"                            \
    " AND ($9::timestamptz IS NULL OR due < $9)"                             \
    " AND ($10::timestamptz IS NULL OR executed_at >= $10)"                  \
    " AND ($11::timestamptz IS NULL OR executed_at < $11)"                   \
    " AND ($12::boolean IS NULL OR coalesce(lateness > '1 s', false) = $12)" \
    " AND ($13::boolean IS NULL OR (dismissed_at IS NOT NULL) = $13)"        \
    " AND ($14::text IS NULL OR idempotency_key = $14)"                      \
    " AND ($15::text IS NULL OR starts_with(id::text, $15)"                  \
    "      OR starts_with(idempotency_key, $15))"                            \
    " AND ($16::text IS NULL OR starts_with(reason, $16))"

/// $17 id and $18 value of the last row of the page before (null: the first page; value alone null:
/// it had none), $19 limit. Rows without the value that they are ordered by come last in both
/// directions.
#define SUNDIAL_LIST_EVENTS(name, value, type, beyond, direction)                       \
    inline constexpr Statement name {                                                   \
        #name,                                                                          \
            "SELECT *" SUNDIAL_FILTERED_EVENTS                                          \
            " AND ($17::uuid IS NULL"                                                   \
            "      OR ($18::" type " IS NULL AND " value " IS NULL AND id " beyond      \
            " $17)"                                                                     \
            "      OR ($18 IS NOT NULL AND (" value " IS NULL OR " value " " beyond     \
            " $18"                                                                      \
            "          OR (" value " = $18 AND id " beyond                              \
            " $17))))"                                                                  \
            " ORDER BY " value " " direction " NULLS LAST, id " direction " LIMIT $19", \
            Statement::Plan::fresh                                                      \
    }

namespace sundial::postgres::sql {

SUNDIAL_LIST_EVENTS(events_by_target, "due", "timestamptz", ">", "ASC");
SUNDIAL_LIST_EVENTS(events_by_target_down, "due", "timestamptz", "<", "DESC");
SUNDIAL_LIST_EVENTS(events_by_execution, "executed_at", "timestamptz", ">", "ASC");
SUNDIAL_LIST_EVENTS(events_by_execution_down, "executed_at", "timestamptz", "<", "DESC");
SUNDIAL_LIST_EVENTS(events_by_creation, "created_at", "timestamptz", ">", "ASC");
SUNDIAL_LIST_EVENTS(events_by_creation_down, "created_at", "timestamptz", "<", "DESC");
SUNDIAL_LIST_EVENTS(events_by_lateness, "lateness", "interval", ">", "ASC");
SUNDIAL_LIST_EVENTS(events_by_lateness_down, "lateness", "interval", "<", "DESC");

/// Parts of a walk, and how many rows all of them have. $17 until. Each part begins where the last
/// one ended, by the index, and not at the beginning.
#define SUNDIAL_LIVE_EVENTS \
    SUNDIAL_FILTERED_EVENTS \
    " AND status IN ('PENDING', 'PROCESSING') AND created_at <= $17"
#define SUNDIAL_FAILED_EVENTS \
    SUNDIAL_FILTERED_EVENTS   \
    " AND status = 'FAILED' AND finished_at <= $17"
/// Those that have an index of their own.
#define SUNDIAL_DEAD_LETTERS SUNDIAL_FAILED_EVENTS " AND dismissed_at IS NULL"
/// $18 id and $20 moment of the last row of the part before, $19 limit.
#define SUNDIAL_PART_OF_FAILED                                    \
    " AND finished_at >= coalesce($20::timestamptz, '-infinity')" \
    " AND ($18::uuid IS NULL OR (finished_at, id) > ($20, $18))"  \
    " ORDER BY finished_at, id LIMIT $19"

/// $18 id and $20 shard of the last row of the part before, $19 limit.
inline constexpr Statement walk_live{
    "walk_live",
    "SELECT *" SUNDIAL_LIVE_EVENTS
    " AND ($18::uuid IS NULL OR (shard, id) > ($20::smallint, $18))"
    " ORDER BY shard, id LIMIT $19",
    Statement::Plan::fresh};
inline constexpr Statement walk_failed{
    "walk_failed", "SELECT *" SUNDIAL_FAILED_EVENTS SUNDIAL_PART_OF_FAILED, Statement::Plan::fresh};
inline constexpr Statement walk_dead_letters{"walk_dead_letters",
                                             "SELECT *" SUNDIAL_DEAD_LETTERS SUNDIAL_PART_OF_FAILED,
                                             Statement::Plan::fresh};
inline constexpr Statement count_live{"count_live", "SELECT count(*)" SUNDIAL_LIVE_EVENTS,
                                      Statement::Plan::fresh};
inline constexpr Statement count_failed{"count_failed", "SELECT count(*)" SUNDIAL_FAILED_EVENTS,
                                        Statement::Plan::fresh};
inline constexpr Statement count_dead_letters{
    "count_dead_letters", "SELECT count(*)" SUNDIAL_DEAD_LETTERS, Statement::Plan::fresh};

/// The newest first. $1 how many.
inline constexpr Statement newest_dead_letters{"newest_dead_letters", R"sql(
    SELECT reason, endpoint_id, finished_at, id FROM sundial.event_history
     WHERE status = 'FAILED' AND dismissed_at IS NULL
     ORDER BY finished_at DESC, id DESC LIMIT $1)sql"};

}  // namespace sundial::postgres::sql

#undef SUNDIAL_PART_OF_FAILED
#undef SUNDIAL_DEAD_LETTERS
#undef SUNDIAL_FAILED_EVENTS
#undef SUNDIAL_LIVE_EVENTS
#undef SUNDIAL_LIST_EVENTS
#undef SUNDIAL_FILTERED_EVENTS
