#pragma once

#include "adapters/postgres/statement.hpp"

/// Lists of events. Each order is one complete statement, which the preprocessor builds from
/// literals. Ordered by target or creation, a page is read from the start of a few indexes in that
/// order, however large the table is (ADR 0023).

/// A filter is off if its parameter is null. $1 statuses, $2 priorities, $3 types, $4 zones, $5
/// user, $6 schedule, $7 endpoint, $8 and $9 due from and to, $10 and $11 executed from and to, $12
/// late, $13 dismissed, $14 key, $15 prefix of id or key, $16 prefix of the reason, $17 reasons of
/// waiting.
#define SUNDIAL_FILTERS                                                                 \
    " WHERE ($1::text[] IS NULL OR status = ANY ($1))"                                  \
    " AND ($2::smallint[] IS NULL OR priority = ANY ($2))"                              \
    " AND ($3::text[] IS NULL OR event_type = ANY ($3))"                                \
    " AND ($4::text[] IS NULL OR zone = ANY ($4))"                                      \
    " AND ($5::uuid IS NULL OR user_id = $5)"                                           \
    " AND ($6::uuid IS NULL OR schedule_id = $6)"                                       \
    " AND ($7::uuid IS NULL OR endpoint_id = $7)"                                       \
    " AND ($8::timestamptz IS NULL OR due >= $8)"                                       \
    " AND ($9::timestamptz IS NULL OR due < $9)"                                        \
    " AND ($10::timestamptz IS NULL OR (finished_at >= $10 AND status <> 'CANCELLED'))" \
    " AND ($11::timestamptz IS NULL OR (finished_at < $11 AND status <> 'CANCELLED'))"  \
    " AND ($12::boolean IS NULL OR coalesce(lateness > '1 s', false) = $12)"            \
    " AND ($13::boolean IS NULL OR (dismissed_at IS NOT NULL) = $13)"                   \
    " AND ($14::text IS NULL OR idempotency_key = $14)"                                 \
    " AND ($15::text IS NULL OR starts_with(id::text, $15)"                             \
    "      OR starts_with(idempotency_key, $15))"                                       \
    " AND ($16::text IS NULL OR starts_with(reason, $16))"                              \
    " AND ($17::text[] IS NULL OR waiting_for = ANY ($17))"
#define SUNDIAL_FILTERED_EVENTS " FROM sundial.v_events" SUNDIAL_FILTERS

/// The rows that a list reads: all events; or, of a few events that are known, those with ids $26
/// in the shards $25. The shards are named once more for Citus, which then asks these alone.
#define SUNDIAL_ALL "sundial.v_events"
#define SUNDIAL_KNOWN                                                                      \
    "(SELECT event.* FROM unnest($25::smallint[], $26::uuid[]) AS known(shard, id)"        \
    " JOIN sundial.v_events AS event ON event.shard = known.shard AND event.id = known.id" \
    " WHERE event.shard = ANY ($25::smallint[])) AS event"

/// Ends a page whose payloads reach $22 bytes. `found` is the number of rows that there would be.
#define SUNDIAL_SIZED(rows, order)                                                             \
    "SELECT * FROM (SELECT page.*, count(*) OVER () AS found, sum(octet_length(payload)) OVER" \
    " (ORDER BY " order                                                                        \
    " ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before"                       \
    " FROM (" rows                                                                             \
    ") AS page) AS sized"                                                                      \
    " WHERE coalesce(bytes_before, 0) < $22::bigint ORDER BY " order

/// $18 id and $19 sort value of the previous page's last row (null: the first page; only the value
/// null: the row had none), $20 limit, $21 number of shards, $22 bytes. Rows without a sort value
/// come last in both directions. The orders by target and by creation also take the place at which
/// the page ends although it is not full: $23 id and $24 due (null: none).
#define SUNDIAL_LIST(name, what, beyond, order)                                                    \
    inline constexpr Statement name {                                                              \
        #name,                                                                                     \
            SUNDIAL_SIZED("SELECT *" what " AND ($18::uuid IS NULL OR " beyond ") ORDER BY " order \
                          " LIMIT $20",                                                            \
                          order),                                                                  \
            Statement::Plan::fresh                                                                 \
    }
#define SUNDIAL_BY_DUE(name, from, sign, direction)   \
    SUNDIAL_LIST(name, " FROM " from SUNDIAL_FILTERS, \
                 "(due, id) " sign " ($19::timestamptz, $18)", "due " direction ", id " direction)
/// Reads a page from each index by due and takes the first rows of all. Needed because the planner
/// finds no order in a union of filtered subqueries.
#define SUNDIAL_DUE_ARM(standing, sign, direction)             \
    "(SELECT *" SUNDIAL_FILTERED_EVENTS " AND " standing       \
    " AND ($18::uuid IS NULL OR (due, id) " sign               \
    " ($19::timestamptz, $18))"                                \
    " AND ($23::uuid IS NULL OR ($24::timestamptz, $23) " sign \
    "= (due, id))"                                             \
    " ORDER BY due " direction ", id " direction " LIMIT $20)"
/// An event with retry_count 0 is PENDING, or claimed for the first time, or was released unsent.
/// The latter two are already due, so a list without PENDING ends at the present.
#define SUNDIAL_UNTRIED                                       \
    "status IN ('PENDING', 'PROCESSING') AND retry_count = 0" \
    " AND ($1::text[] IS NULL OR 'PENDING' = ANY ($1) OR due <= sundial.clock())"
#define SUNDIAL_RETRIED "status = 'PROCESSING' AND retry_count > 0"
#define SUNDIAL_FINISHED "status IN ('COMPLETED', 'FAILED', 'CANCELLED')"
#define SUNDIAL_ALL_BY_DUE(name, sign, direction)                                                  \
    inline constexpr Statement name {                                                              \
        #name,                                                                                     \
            SUNDIAL_SIZED(                                                                         \
                SUNDIAL_DUE_ARM(SUNDIAL_UNTRIED, sign, direction) " UNION ALL " SUNDIAL_DUE_ARM(   \
                    SUNDIAL_RETRIED, sign,                                                         \
                    direction) " UNION ALL " SUNDIAL_DUE_ARM(SUNDIAL_FINISHED, sign,               \
                                                             direction) " ORDER BY due " direction \
                                                                        ", id " direction          \
                                                                        " LIMIT $20",              \
                "due " direction ", id " direction),                                               \
            Statement::Plan::fresh                                                                 \
    }
/// Where a page ends that passes many events: the first place at which one of its indexes has been
/// read for $6 rows. $1 statuses, $2 and $3 due from and to, $4 id and $5 due of the previous
/// page's last row, $7 number of shards.
#define SUNDIAL_PASSED_BY_DUE_IN(standing, sign, direction) \
    "(SELECT id, due FROM sundial.v_events WHERE " standing \
    " AND ($1::text[] IS NULL OR status = ANY ($1))"        \
    " AND ($2::timestamptz IS NULL OR due >= $2)"           \
    " AND ($3::timestamptz IS NULL OR due < $3)"            \
    " AND ($4::uuid IS NULL OR (due, id) " sign             \
    " ($5::timestamptz, $4))"                               \
    " ORDER BY due " direction ", id " direction " OFFSET $6::bigint - 1 LIMIT 1)"
#define SUNDIAL_PASSED_BY_DUE(name, sign, direction)                                                \
    inline constexpr Statement name {                                                               \
        #name,                                                                                    \
            SUNDIAL_PASSED_BY_DUE_IN(SUNDIAL_UNTRIED, sign, direction) " UNION ALL "              \
            SUNDIAL_PASSED_BY_DUE_IN(SUNDIAL_RETRIED, sign, direction) " UNION ALL "              \
            SUNDIAL_PASSED_BY_DUE_IN(SUNDIAL_FINISHED, sign, direction) " ORDER BY due " direction \
            ", id " direction " LIMIT 1",                                                         \
            Statement::Plan::fresh \
    }
/// Each shard may be read for its part of $6 rows.
#define SUNDIAL_PASSED_BY_ID_IN(shard, sign, direction)                                         \
    "SELECT id FROM sundial.v_events WHERE shard = " shard " AND ($4::uuid IS NULL OR id " sign \
    " $4) ORDER BY id " direction " OFFSET ($6::bigint - 1) / $7 LIMIT 1"
#define SUNDIAL_PASSED_BY_ID(name, sign, direction)                                           \
    inline constexpr Statement name {                                                         \
        #name,                                                                                \
            "SELECT event.id FROM generate_series(0, $7 - 1) AS part(number)"                 \
            " CROSS JOIN LATERAL (" SUNDIAL_PASSED_BY_ID_IN(                                  \
                "part.number::smallint", sign, direction) ") AS event ORDER BY id " direction \
                                                          " LIMIT 1",                         \
            Statement::Plan::fresh                                                            \
    }
/// An id begins with its creation time.
#define SUNDIAL_BY_ID(name, from, sign, direction) \
    SUNDIAL_LIST(name, " FROM " from SUNDIAL_FILTERS, "id " sign " $18", "id " direction)
/// A shard's part of a page in key order.
#define SUNDIAL_BY_ID_IN(columns, shard, sign, direction)                             \
    "SELECT " columns SUNDIAL_FILTERED_EVENTS " AND shard = " shard                   \
    " AND ($18::uuid IS NULL OR id " sign " $18) AND ($23::uuid IS NULL OR $23 " sign \
    "= id) ORDER BY id " direction " LIMIT $20"
#define SUNDIAL_BY_ID_IN_SHARDS(name, sign, direction)                            \
    inline constexpr Statement name {                                             \
        #name,                                                                    \
            SUNDIAL_SIZED(                                                        \
                "SELECT event.* FROM generate_series(0, $21 - 1) AS part(number)" \
                " CROSS JOIN LATERAL (" SUNDIAL_BY_ID_IN(                         \
                    "*", "part.number::smallint", sign,                           \
                    direction) ") AS event ORDER BY id " direction " LIMIT $20",  \
                "id " direction),                                                 \
            Statement::Plan::fresh                                                \
    }
#define SUNDIAL_BY_VALUE(name, from, value, type, sign, direction)                      \
    SUNDIAL_LIST(name, " FROM " from SUNDIAL_FILTERS,                                   \
                 "($19::" type " IS NULL AND " value " IS NULL AND id " sign            \
                 " $18)"                                                                \
                 " OR ($19 IS NOT NULL AND (" value " IS NULL OR (" value ", id) " sign \
                 " ($19, $18)))",                                                       \
                 value " " direction " NULLS LAST, id " direction)

namespace sundial::postgres::sql {

/// The events of a key's chain that are in shard $1: the one where the chain enters it, and those
/// that it retries, one after the other. The last id may be of another shard: the chain goes on
/// there. A look-up with LIMIT is never joined to a whole shard.
#define SUNDIAL_CHAIN(first)                                                                \
    "WITH RECURSIVE chain(event) AS (" first                                                \
    " UNION SELECT retried.id FROM chain CROSS JOIN LATERAL ("                              \
    "SELECT retry_of FROM sundial.v_events WHERE shard = $1 AND id = chain.event LIMIT 1) " \
    "AS retried(id) WHERE retried.id IS NOT NULL)"                                          \
    " SELECT event FROM chain"
/// From the current event of key $2.
inline constexpr Statement chain_of_key{
    "chain_of_key",
    SUNDIAL_CHAIN("SELECT event_id FROM sundial.event_keys WHERE shard = $1 AND key = $2"),
    Statement::Plan::fresh};
/// From event $2.
inline constexpr Statement chain_of_event{"chain_of_event", SUNDIAL_CHAIN("SELECT $2::uuid"),
                                          Statement::Plan::fresh};
#undef SUNDIAL_CHAIN

/// Until the transaction ends, plans read indexes in order whatever the statistics say. Without
/// this, a table that was analysed while empty is sorted completely for one page.
inline constexpr Statement walk_indexes{"walk_indexes", R"sql(
    SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
           set_config('enable_sort', 'off', true), set_config('jit', 'off', true),
           set_config('enable_indexscan', 'on', true))sql"};

/// Until the transaction ends, plans find ended events by their time, with the index that has no
/// order. Without this, the planner expects to find enough of them soon in any order, and reads all
/// that ended before. So it does if the table was never analysed, and always under a LIMIT.
inline constexpr Statement find_by_end{"find_by_end", R"sql(
    SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'on', true),
           set_config('enable_sort', 'on', true), set_config('jit', 'off', true),
           set_config('enable_indexscan', 'off', true))sql"};

SUNDIAL_PASSED_BY_DUE(passed_by_target, ">", "ASC");
SUNDIAL_PASSED_BY_DUE(passed_by_target_down, "<", "DESC");
SUNDIAL_PASSED_BY_ID(passed_by_creation, ">", "ASC");
SUNDIAL_PASSED_BY_ID(passed_by_creation_down, "<", "DESC");
/// The same for one shard $8, on a distributed database.
inline constexpr Statement passed_by_creation_in_shard{"passed_by_creation_in_shard",
                                                       SUNDIAL_PASSED_BY_ID_IN("$8", ">", "ASC"),
                                                       Statement::Plan::fresh};
inline constexpr Statement passed_by_creation_in_shard_down{
    "passed_by_creation_in_shard_down", SUNDIAL_PASSED_BY_ID_IN("$8", "<", "DESC"),
    Statement::Plan::fresh};

/// Counts the rows of a page, with the parameters of its list.
inline constexpr Statement count_by_target{
    "count_by_target",
    "SELECT count(*) FROM (" SUNDIAL_DUE_ARM(SUNDIAL_UNTRIED, ">", "ASC") " UNION ALL "
        SUNDIAL_DUE_ARM(SUNDIAL_RETRIED, ">", "ASC") " UNION ALL "
        SUNDIAL_DUE_ARM(SUNDIAL_FINISHED, ">", "ASC") " LIMIT $20) AS counted",
    Statement::Plan::fresh};
inline constexpr Statement count_few{
    "count_few",
    "SELECT count(*) FROM (SELECT 1 FROM " SUNDIAL_ALL SUNDIAL_FILTERS " LIMIT $20) AS counted",
    Statement::Plan::fresh};
inline constexpr Statement count_of_known{
    "count_of_known",
    "SELECT count(*) FROM (SELECT 1 FROM " SUNDIAL_KNOWN SUNDIAL_FILTERS " LIMIT $20) AS counted",
    Statement::Plan::fresh};

/// Events that ended from $1 to $2 (null: since), at most $3.
#define SUNDIAL_COUNT_ENDED(name, only)                                     \
    inline constexpr Statement name {                                       \
        #name,                                                              \
            "SELECT count(*) FROM (SELECT 1 FROM sundial.event_history"     \
            " WHERE finished_at >= $1::timestamptz"                         \
            " AND finished_at < coalesce($2::timestamptz, 'infinity')" only \
            " LIMIT $3) AS counted",                                        \
            Statement::Plan::fresh                                          \
    }
SUNDIAL_COUNT_ENDED(count_ended, "");
SUNDIAL_COUNT_ENDED(count_executed, " AND status <> 'CANCELLED'");
#undef SUNDIAL_COUNT_ENDED

SUNDIAL_ALL_BY_DUE(events_by_target, ">", "ASC");
SUNDIAL_ALL_BY_DUE(events_by_target_down, "<", "DESC");
SUNDIAL_BY_DUE(events_by_target_of_known, SUNDIAL_KNOWN, ">", "ASC");
SUNDIAL_BY_DUE(events_by_target_of_known_down, SUNDIAL_KNOWN, "<", "DESC");

SUNDIAL_BY_ID_IN_SHARDS(events_by_creation, ">", "ASC");
SUNDIAL_BY_ID_IN_SHARDS(events_by_creation_down, "<", "DESC");
/// On a distributed database: the ids of such a page in one shard, $25.
inline constexpr Statement ids_by_creation_in_shard{
    "ids_by_creation_in_shard", SUNDIAL_BY_ID_IN("id", "$25", ">", "ASC"), Statement::Plan::fresh};
inline constexpr Statement ids_by_creation_in_shard_down{"ids_by_creation_in_shard_down",
                                                         SUNDIAL_BY_ID_IN("id", "$25", "<", "DESC"),
                                                         Statement::Plan::fresh};
/// Events that an index finds in another order: those of one user, or of a time.
SUNDIAL_BY_ID(events_by_creation_of_user, SUNDIAL_ALL, ">", "ASC");
SUNDIAL_BY_ID(events_by_creation_of_user_down, SUNDIAL_ALL, "<", "DESC");
SUNDIAL_BY_ID(events_by_creation_of_known, SUNDIAL_KNOWN, ">", "ASC");
SUNDIAL_BY_ID(events_by_creation_of_known_down, SUNDIAL_KNOWN, "<", "DESC");

SUNDIAL_BY_VALUE(events_by_execution, SUNDIAL_ALL, "executed_at", "timestamptz", ">", "ASC");
SUNDIAL_BY_VALUE(events_by_execution_down, SUNDIAL_ALL, "executed_at", "timestamptz", "<", "DESC");
SUNDIAL_BY_VALUE(events_by_execution_of_known, SUNDIAL_KNOWN, "executed_at", "timestamptz", ">",
                 "ASC");
SUNDIAL_BY_VALUE(events_by_execution_of_known_down, SUNDIAL_KNOWN, "executed_at", "timestamptz",
                 "<", "DESC");
SUNDIAL_BY_VALUE(events_by_lateness, SUNDIAL_ALL, "lateness", "interval", ">", "ASC");
SUNDIAL_BY_VALUE(events_by_lateness_down, SUNDIAL_ALL, "lateness", "interval", "<", "DESC");
SUNDIAL_BY_VALUE(events_by_lateness_of_known, SUNDIAL_KNOWN, "lateness", "interval", ">", "ASC");
SUNDIAL_BY_VALUE(events_by_lateness_of_known_down, SUNDIAL_KNOWN, "lateness", "interval", "<",
                 "DESC");

/// The parts of a walk, and the number of rows in all of them. $18 until. Each part starts in the
/// index where the previous part ended.
#define SUNDIAL_LIVE_EVENTS \
    SUNDIAL_FILTERED_EVENTS \
    " AND status IN ('PENDING', 'PROCESSING') AND created_at <= $18"
#define SUNDIAL_FAILED_EVENTS \
    SUNDIAL_FILTERED_EVENTS   \
    " AND status = 'FAILED' AND finished_at <= $18"
/// Dead letters have an index of their own.
#define SUNDIAL_DEAD_LETTERS SUNDIAL_FAILED_EVENTS " AND dismissed_at IS NULL"
/// $19 id and $21 finish time of the previous part's last row, $20 limit.
#define SUNDIAL_PART_OF_FAILED                                    \
    " AND finished_at >= coalesce($21::timestamptz, '-infinity')" \
    " AND ($19::uuid IS NULL OR (finished_at, id) > ($21, $19))"  \
    " ORDER BY finished_at, id LIMIT $20"

/// $19 id and $21 shard of the previous part's last row, $20 limit.
inline constexpr Statement walk_live{
    "walk_live",
    "SELECT *" SUNDIAL_LIVE_EVENTS
    " AND ($19::uuid IS NULL OR (shard, id) > ($21::smallint, $19))"
    " ORDER BY shard, id LIMIT $20",
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

/// The first $3 PENDING events due from $1 to $2, in groups: by whether they wait for their
/// schedule, by the slot of their target, by zone if $6 and by endpoint if $7. $4 first slot, $5
/// length of a slot. `of_rules`: those that rules have planned without a user.
#define SUNDIAL_PLANNED                                                   \
    " FROM sundial.v_events WHERE status = 'PENDING' AND retry_count = 0" \
    " AND due >= $1 AND due < $2 ORDER BY due, id"
inline constexpr Statement planned{
    "planned",
    "SELECT paused, slot, zone, endpoint_id, count(*) AS events, max(due) AS last,"
    " array_agg(id) FILTER (WHERE of_rule) AS of_rules"
    " FROM (SELECT id, due, date_bin($5::interval, due + jitter, $4::timestamptz) AS slot,"
    "       coalesce(waiting_for = 'SCHEDULE', false) AS paused,"
    "       CASE WHEN $6::boolean THEN zone END AS zone,"
    "       CASE WHEN $7::boolean THEN endpoint_id END AS endpoint_id,"
    "       schedule_id IS NOT NULL AND user_id IS NULL"
    "       AND origin = 'rule' AS of_rule" SUNDIAL_PLANNED
    " LIMIT $3) AS found"
    " GROUP BY paused, slot, zone, endpoint_id ORDER BY min(due), slot, zone, endpoint_id",
    Statement::Plan::fresh};
/// Whether there are more than $3 of them.
inline constexpr Statement more_planned{
    "more_planned", "SELECT due" SUNDIAL_PLANNED " OFFSET $3 LIMIT 1", Statement::Plan::fresh};
#undef SUNDIAL_PLANNED

/// Newest first. $1 limit.
inline constexpr Statement newest_dead_letters{"newest_dead_letters", R"sql(
    SELECT reason, endpoint_id, finished_at, id FROM sundial.event_history
     WHERE status = 'FAILED' AND dismissed_at IS NULL
     ORDER BY finished_at DESC, id DESC LIMIT $1)sql"};

/// Attempts that ended in [$1, $2), with the successes that history rows record. $3 the most rows
/// of either kind to read, $4 limit, $5 outcomes, $6 status codes, $7 endpoint, $8 end and $9 event
/// of the previous page's last attempt; from $5 on, null for none. `read` is the number of rows in
/// that time. There is one row, with nothing else, if none matches.
#define SUNDIAL_LIST_ATTEMPTS(name, of_attempts, of_history)                                      \
    inline constexpr Statement name {                                                             \
        #name,                                                                                    \
            "WITH passed AS MATERIALIZED ("                                                       \
            "(SELECT event_id, number, outcome, endpoint_id, started_at, duration, status_code,"  \
            " error_code, error_text, response_body, instance_id, held, worker, recorded_at"      \
            " FROM sundial.attempts WHERE recorded_at >= $1 AND recorded_at < $2" of_attempts     \
            " LIMIT $3)"                                                                          \
            " UNION ALL "                                                                         \
            "(SELECT id, attempt, 'SUCCEEDED', endpoint_id, started_at, coalesce(duration, '0')," \
            " status_code, '', '', ''::bytea, settled_by, version - 1, worker, finished_at"       \
            " FROM sundial.event_history"                                                         \
            " WHERE status = 'COMPLETED' AND finished_at >= $1 AND finished_at < $2" of_history   \
            " LIMIT $3)),"                                                                        \
            " page AS (SELECT * FROM passed"                                                      \
            " WHERE ($5::text[] IS NULL OR outcome = ANY ($5))"                                   \
            " AND ($6::integer[] IS NULL OR status_code = ANY ($6))"                              \
            " AND ($7::uuid IS NULL OR endpoint_id = $7)"                                         \
            " AND ($8::timestamptz IS NULL OR (recorded_at, event_id) < ($8, $9::uuid))"          \
            " ORDER BY recorded_at DESC, event_id DESC LIMIT $4)"                                 \
            " SELECT *, (SELECT count(*) FROM passed) AS read"                                    \
            " FROM page RIGHT JOIN (VALUES (1)) AS one(row) ON true"                              \
            " ORDER BY recorded_at DESC, event_id DESC",                                          \
            Statement::Plan::fresh                                                                \
    }
SUNDIAL_LIST_ATTEMPTS(latest_attempts, "", "");
/// Of one event: $10 shard, $11 id.
SUNDIAL_LIST_ATTEMPTS(latest_attempts_of_event, " AND shard = $10 AND event_id = $11",
                      " AND shard = $10 AND id = $11");
#undef SUNDIAL_LIST_ATTEMPTS

}  // namespace sundial::postgres::sql
