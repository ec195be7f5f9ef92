#pragma once

#include "adapters/postgres/statement.hpp"

/// Lists of events: one complete statement for each order, made by the preprocessor from literals.
///
/// Every filter is off while its parameter is null. $1 statuses, $2 priorities, $3 types, $4 zones,
/// $5 user, $6 schedule, $7 endpoint, $8 and $9 due from and to, $10 and $11 executed from and to,
/// $12 late, $13 dismissed, $14 key, $15 prefix of id or key; $16 id and $17 value of the last row
/// of the page before (null: the first page; value alone null: it had none), $18 limit. Answer
/// without the value that they are ordered by come last in both directions.
#define SUNDIAL_LIST_EVENTS(name, value, type, beyond, direction)                       \
    inline constexpr Statement name {                                                   \
        #name,                                                                          \
            "SELECT * FROM sundial.v_events"                                            \
            " WHERE ($1::text[] IS NULL OR status = ANY ($1))"                          \
            " AND ($2::smallint[] IS NULL OR priority = ANY ($2))"                      \
            " AND ($3::text[] IS NULL OR event_type = ANY ($3))"                        \
            " AND ($4::text[] IS NULL OR zone = ANY ($4))"                              \
            " AND ($5::uuid IS NULL OR user_id = $5)"                                   \
            " AND ($6::uuid IS NULL OR schedule_id = $6)"                               \
            " AND ($7::uuid IS NULL OR endpoint_id = $7)"                               \
            " AND ($8::timestamptz IS NULL OR due >= $8)"                               \
            " AND ($9::timestamptz IS NULL OR due < $9)"                                \
            " AND ($10::timestamptz IS NULL OR executed_at >= $10)"                     \
            " AND ($11::timestamptz IS NULL OR executed_at < $11)"                      \
            " AND ($12::boolean IS NULL OR coalesce(lateness > '1 s', false) = $12)"    \
            " AND ($13::boolean IS NULL OR (dismissed_at IS NOT NULL) = $13)"           \
            " AND ($14::text IS NULL OR idempotency_key = $14)"                         \
            " AND ($15::text IS NULL OR starts_with(id::text, $15)"                     \
            "      OR starts_with(idempotency_key, $15))"                               \
            " AND ($16::uuid IS NULL"                                                   \
            "      OR ($17::" type " IS NULL AND " value " IS NULL AND id " beyond      \
            " $16)"                                                                     \
            "      OR ($17 IS NOT NULL AND (" value " IS NULL OR " value " " beyond     \
            " $17"                                                                      \
            "          OR (" value " = $17 AND id " beyond                              \
            " $16))))"                                                                  \
            " ORDER BY " value " " direction " NULLS LAST, id " direction " LIMIT $18", \
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

}  // namespace sundial::postgres::sql

#undef SUNDIAL_LIST_EVENTS
