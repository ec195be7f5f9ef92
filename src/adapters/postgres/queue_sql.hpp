#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL of the event queue and of the pull queue besides claims (claim_sql.hpp): peek, lines,
/// counts, heartbeats. Time is the database's: sundial.clock() is statement_timestamp(), and the
/// only clock that tests set (ADR 0005).
namespace sundial::postgres::sql {

// Pages of the index and of the table that the transaction has read.
#define SUNDIAL_PAGES(index)                           \
    "(pg_stat_get_xact_blocks_fetched('sundial." index \
    "'::regclass)"                                     \
    " + pg_stat_get_xact_blocks_fetched('sundial.events'::regclass))"
// A peek at the parts `parts`, of the shard and the lane that the conditions say. Reads the claimed
// entries before one that is due only if `whole`: thousands may be due at one instant.
#define SUNDIAL_PEEK(index, parts, in_shard, in_lane, dead, whole, more) \
    "SELECT part.place, least(head.claimable_at, held.until, 'infinity'),"                     \
    " least(head.claimable_at, held.soon, 'infinity')," SUNDIAL_PAGES(index)                   \
    " - before.pages,"                                                                         \
    " pg_snapshot_xmin(seen)::text::bigint,"                                                   \
    " pg_snapshot_xmin(seen)::text::bigint + age(pg_snapshot_xmin(seen)::xid)" more            \
    " FROM (SELECT " SUNDIAL_PAGES(index)                                                      \
    " OFFSET 0) AS before(pages)"                                                              \
    " CROSS JOIN pg_current_snapshot() AS seen"                                                \
    " CROSS JOIN " parts                                                                       \
    " LEFT JOIN LATERAL ("                                                                     \
    "  SELECT claimable_at FROM sundial.events"                                                \
    "   WHERE " in_shard " AND priority = ((part.place - 1) % 4)::smallint AND " in_lane       \
    "    AND claimable_at >= part.floor AND claimable_at < part.ceiling"                       \
    "    AND claimed_by IS NULL AND before.pages IS NOT NULL"                                  \
    "   ORDER BY claimable_at LIMIT 1) AS head ON true"                                        \
    " CROSS JOIN LATERAL ("                                                                    \
    "  SELECT min(lease_ends) AS until,"                                                       \
    "   min(claimable_at) FILTER (WHERE lease_ends <= sundial.clock() + interval '2 s')"       \
    "    AS soon"                                                                              \
    "   FROM (SELECT claimable_at,"                                                            \
    "           CASE WHEN " dead " THEN claimable_at ELSE lease_ends END AS lease_ends"        \
    "          FROM sundial.events"                                                            \
    "         WHERE " in_shard " AND priority = ((part.place - 1) % 4)::smallint AND " in_lane \
    "          AND claimable_at >= part.floor AND claimable_at < part.ceiling"                 \
    "          AND claimable_at <= least(head.claimable_at, sundial.clock())"                  \
    "          AND claimed_by IS NOT NULL"                                                     \
    "          AND (" whole " OR (head.claimable_at <= sundial.clock()) IS NOT TRUE)"          \
    "         ORDER BY claimable_at) AS claimed) AS held"
#define SUNDIAL_PARTS(arrays, columns) \
    "unnest(" arrays ") WITH ORDINALITY AS part(" columns ", place)"
#define SUNDIAL_TO_ENDPOINTS \
    "NOT pull AND obstacle IS DISTINCT FROM 'LIMIT' AND endpoint_id IS NOT NULL"
#define SUNDIAL_TO_HANDLERS(type) "endpoint_id IS NULL AND event_type = " type
// When the server started that has the shard. In a SELECT, Citus leaves the function to that
// server.
#define SUNDIAL_STARTED "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint"
#define SUNDIAL_DEAD(ids, found) "claimed_by = ANY (" ids "::uuid[]) AND updated_at <= " found

/// For each part (one priority of a shard), by its ordinal: when an event of the given time range
/// becomes claimable (the first unclaimed entry, or the first lease to end among the claimed
/// entries before it); the first entry that is free or will be within two seconds; the number of
/// pages read so far; and, for claim_floors.hpp, the transaction id below which all transactions
/// have ended, and the next id. The snapshot's upper bound cannot be used for the latter: the
/// latest transactions may be open beyond it. `before` is part of the last join so that it is
/// evaluated first. The claimed entries are ordered only for the planner, which otherwise may take
/// any index while statistics say that the table is empty. Claims of dead instances count as free.
/// $1 shards, each once for each priority, $2 from, $3 until, $4 dead instances, $5 when they were
/// found dead, $6 whether the third column is needed, which takes reading the claimed entries
/// before an event that is due. Of the events with an endpoint.
inline constexpr Statement peek{
    "look", SUNDIAL_PEEK("events_to_claim",
                         SUNDIAL_PARTS("$1::smallint[], $2::timestamptz[], $3::timestamptz[]",
                                       "shard, floor, ceiling"),
                         "shard = part.shard", SUNDIAL_TO_ENDPOINTS, SUNDIAL_DEAD("$4", "$5"),
                         "$6::boolean", "")};
/// The same for events of type $4 without an endpoint; $5 to $7 as $4 to $6 above.
inline constexpr Statement peek_to_handle{
    "look_to_handle",
    SUNDIAL_PEEK("events_to_handle",
                 SUNDIAL_PARTS("$1::smallint[], $2::timestamptz[], $3::timestamptz[], $4::text[]",
                               "shard, floor, ceiling, type"),
                 "shard = part.shard", SUNDIAL_TO_HANDLERS("part.type"), SUNDIAL_DEAD("$5", "$6"),
                 "$7::boolean", "")};
/// Both for the priorities of one shard $1, on a distributed database: Citus refuses a LATERAL with
/// a LIMIT over several shards. $2 from and $3 until, for each priority; the others as above, but
/// $4 of the second is one type. The last column says when the shard's server started
/// (ServerWatch).
inline constexpr Statement peek_in_shard{
    "look_in_shard",
    SUNDIAL_PEEK("events_to_claim",
                 SUNDIAL_PARTS("$2::timestamptz[], $3::timestamptz[]", "floor, ceiling"),
                 "shard = $1", SUNDIAL_TO_ENDPOINTS, SUNDIAL_DEAD("$4", "$5"), "true",
                 ", " SUNDIAL_STARTED)};
inline constexpr Statement peek_in_shard_to_handle{
    "look_in_shard_to_handle",
    SUNDIAL_PEEK("events_to_handle",
                 SUNDIAL_PARTS("$2::timestamptz[], $3::timestamptz[]", "floor, ceiling"),
                 "shard = $1", SUNDIAL_TO_HANDLERS("$4"), SUNDIAL_DEAD("$5", "$6"), "true",
                 ", " SUNDIAL_STARTED)};
#undef SUNDIAL_PAGES
#undef SUNDIAL_PEEK
#undef SUNDIAL_PARTS
#undef SUNDIAL_TO_ENDPOINTS
#undef SUNDIAL_TO_HANDLERS
#undef SUNDIAL_DEAD

/// The first event of each line, shard and priority. Goes from line to line in the index, however
/// many events each has. $1 number of shards.
inline constexpr Statement peek_at_lines{"look_at_lines", R"sql(
    WITH RECURSIVE line(shard, endpoint_id) AS (
        SELECT shard.number::smallint,
               (SELECT endpoint_id FROM sundial.events
                 WHERE shard = shard.number::smallint AND obstacle = 'LIMIT'
                 ORDER BY endpoint_id LIMIT 1)
          FROM generate_series(0, $1 - 1) AS shard(number)
        UNION ALL
        SELECT line.shard,
               (SELECT later.endpoint_id FROM sundial.events AS later
                 WHERE later.shard = line.shard AND later.endpoint_id > line.endpoint_id
                   AND later.obstacle = 'LIMIT'
                 ORDER BY later.endpoint_id LIMIT 1)
          FROM line WHERE line.endpoint_id IS NOT NULL)
    SELECT line.endpoint_id, line.shard::integer, priority.number, head.claimable_at
      FROM line
     CROSS JOIN generate_series(0, 3) AS priority(number)
     CROSS JOIN LATERAL (
            SELECT claimable_at FROM sundial.events
             WHERE shard = line.shard AND endpoint_id = line.endpoint_id
               AND priority = priority.number::smallint AND obstacle = 'LIMIT'
             ORDER BY claimable_at LIMIT 1) AS head
     WHERE line.endpoint_id IS NOT NULL)sql"};
/// The same for one shard $1, on a distributed database.
inline constexpr Statement peek_at_lines_in_shard{"look_at_lines_in_shard", R"sql(
    WITH RECURSIVE line(endpoint_id) AS (
        (SELECT endpoint_id FROM sundial.events
          WHERE shard = $1 AND obstacle = 'LIMIT'
          ORDER BY endpoint_id LIMIT 1)
        UNION ALL
        SELECT (SELECT later.endpoint_id FROM sundial.events AS later
                 WHERE later.shard = $1 AND later.endpoint_id > line.endpoint_id
                   AND later.obstacle = 'LIMIT'
                 ORDER BY later.endpoint_id LIMIT 1)
          FROM line WHERE line.endpoint_id IS NOT NULL)
    SELECT line.endpoint_id, $1::integer, priority.number, head.claimable_at
      FROM line
     CROSS JOIN generate_series(0, 3) AS priority(number)
     CROSS JOIN LATERAL (
            SELECT claimable_at FROM sundial.events
             WHERE shard = $1 AND endpoint_id = line.endpoint_id
               AND priority = priority.number::smallint AND obstacle = 'LIMIT'
             ORDER BY claimable_at LIMIT 1) AS head
     WHERE line.endpoint_id IS NOT NULL)sql"};
/// Endpoints with limits that instances must request permits from. Pull workers request their own.
inline constexpr Statement limited_endpoints{"limited_endpoints", R"sql(
    SELECT id FROM sundial.endpoints
     WHERE (rate_per_second IS NOT NULL OR max_in_flight IS NOT NULL) AND type <> 'PULL')sql"};

/// When the first event of each endpoint, shard and priority is claimable for the endpoint's
/// workers. Leaves out parked events. $1 endpoints, $2 number of shards.
inline constexpr Statement peek_to_pull{"look_to_pull", R"sql(
    SELECT endpoint.id, shard.number, priority.number, head.claimable_at
      FROM unnest($1::uuid[]) AS endpoint(id)
     CROSS JOIN generate_series(0, $2 - 1) AS shard(number)
     CROSS JOIN generate_series(0, 3) AS priority(number)
     CROSS JOIN LATERAL (
            SELECT claimable_at FROM sundial.events
             WHERE shard = shard.number::smallint AND endpoint_id = endpoint.id
               AND priority = priority.number::smallint AND pull
             ORDER BY claimable_at LIMIT 1) AS head
     WHERE head.claimable_at < 'infinity')sql"};

/// The same for one shard $2, on a distributed database, and when the shard's server started.
inline constexpr Statement peek_to_pull_in_shard{"look_to_pull_in_shard", R"sql(
    SELECT endpoint.id, $2::integer, priority.number, head.claimable_at, )sql" SUNDIAL_STARTED
                                                                          R"sql(
      FROM unnest($1::uuid[]) AS endpoint(id)
     CROSS JOIN generate_series(0, 3) AS priority(number)
     CROSS JOIN LATERAL (
            SELECT claimable_at FROM sundial.events
             WHERE shard = $2 AND endpoint_id = endpoint.id
               AND priority = priority.number::smallint AND pull
             ORDER BY claimable_at LIMIT 1) AS head
     WHERE head.claimable_at < 'infinity')sql"};

/// When the server started that has the shard $1, on a distributed database.
inline constexpr Statement start_of_holder{
    "start_of_holder",
    "SELECT " SUNDIAL_STARTED
    ", count(*) FROM (SELECT 1 FROM sundial.events WHERE shard = $1 LIMIT 1) AS any_event"};
/// Its timeline, the system identifier of its cluster, and its address. A role may lack the right
/// to read them.
inline constexpr Statement identity_of_holder{"identity_of_holder", R"sql(
    SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint,
           (pg_control_system()).system_identifier,
           coalesce(host(inet_server_addr()) || ':' || inet_server_port(), 'a local socket'), count(*)
      FROM (SELECT 1 FROM sundial.events WHERE shard = $1 LIMIT 1) AS any_event)sql",
                                              Statement::Plan::fresh};
#undef SUNDIAL_STARTED

/// Number of events that the workers of PULL endpoint $1 hold. $2 number of shards.
inline constexpr Statement held_by_workers{"held_by_workers", R"sql(
    SELECT count(*)
      FROM generate_series(0, $2 - 1) AS shard(number)
     CROSS JOIN LATERAL (
            SELECT 1 FROM sundial.events
             WHERE shard = shard.number::smallint AND endpoint_id = $1 AND worker IS NOT NULL
               AND lease_ends > sundial.clock()) AS held)sql"};

/// Events of the lanes $3 that were missed before $1 ago, at most $2 of them, because an exact
/// count of millions would take too long. Reads the index of events without a failed attempt.
inline constexpr Statement backlog{"backlog", R"sql(
    SELECT count(*), min(due), max(due)
      FROM (SELECT due FROM sundial.events
             WHERE retry_count = 0 AND due < sundial.clock() - $1
               AND due + jitter < sundial.clock() - $1 AND created_at < sundial.clock() - $1
               AND NOT pull AND claimable_at < 'infinity' AND (retry_of IS NULL OR attempt = 0)
               AND CASE WHEN endpoint_id IS NULL THEN event_type ELSE '' END = ANY ($3::text[])
               AND (claimed_by IS NULL OR lease_ends <= sundial.clock())
             ORDER BY due LIMIT $2) AS missed)sql"};

/// The due instant of the first event of the lanes $3, due at $1 or later, that was missed before
/// $2.
inline constexpr Statement first_missed{"first_missed", R"sql(
    SELECT due FROM sundial.events
     WHERE retry_count = 0 AND due >= $1 AND due < $2 AND due + jitter < $2 AND created_at < $2
       AND NOT pull AND claimable_at < 'infinity' AND (retry_of IS NULL OR attempt = 0)
       AND CASE WHEN endpoint_id IS NULL THEN event_type ELSE '' END = ANY ($3::text[])
     ORDER BY due LIMIT 1)sql"};

/// Renews the heartbeat of instance $1 (domain/liveness.hpp), and returns the other instances, with
/// when they are found dead. The table has a row for each instance, so it has no shards. $2 longest
/// gap, $3 time until an instance is found dead.
inline constexpr Statement renew_heartbeat{"renew_heartbeat", R"sql(
    WITH own AS (
        INSERT INTO sundial.instances AS instance (id, started_at, renewed_at, unbroken_since)
        VALUES ($1, sundial.clock(), sundial.clock(), sundial.clock())
        ON CONFLICT (id) DO UPDATE
           SET renewed_at = sundial.clock(),
               unbroken_since = CASE
                   WHEN sundial.clock() BETWEEN instance.renewed_at AND instance.renewed_at + $2
                   THEN instance.unbroken_since ELSE sundial.clock() END
        RETURNING unbroken_since)
    SELECT other.id, greatest(other.renewed_at, own.unbroken_since) + $3 - sundial.clock()
      FROM sundial.instances AS other CROSS JOIN own WHERE other.id <> $1)sql"};
/// Forgets the heartbeats that are older than $1. Never waits for another instance.
inline constexpr Statement forget_heartbeats{"forget_heartbeats", R"sql(
    DELETE FROM sundial.instances
     WHERE id IN (SELECT id FROM sundial.instances WHERE renewed_at < sundial.clock() - $1
                     FOR UPDATE SKIP LOCKED))sql"};
inline constexpr Statement retire_instance{"retire_instance",
                                           "DELETE FROM sundial.instances WHERE id = $1"};

/// Due, age of the oldest due, waiting for a retry, parked (two kinds), deferred by a circuit or by
/// a limit, without an endpoint.
inline constexpr Statement depth{"depth", R"sql(
    SELECT count(*) FILTER (WHERE claimable_at <= sundial.clock() AND endpoint_id IS NOT NULL
                              AND obstacle IS DISTINCT FROM 'LIMIT'),
           coalesce(sundial.clock() - min(claimable_at)
                        FILTER (WHERE claimable_at <= sundial.clock() AND endpoint_id IS NOT NULL
                              AND obstacle IS DISTINCT FROM 'LIMIT'),
                    '0'::interval),
           count(*) FILTER (WHERE status = 'PROCESSING' AND claimed_by IS NULL
                              AND claimable_at < 'infinity' AND obstacle IS NULL),
           count(*) FILTER (WHERE claimable_at = 'infinity' AND status = 'PROCESSING'),
           count(*) FILTER (WHERE claimable_at = 'infinity' AND status = 'PENDING'),
           count(*) FILTER (WHERE obstacle = 'CIRCUIT'), count(*) FILTER (WHERE obstacle = 'LIMIT'),
           count(*) FILTER (WHERE claimable_at <= sundial.clock() AND endpoint_id IS NULL)
      FROM (SELECT status, claimed_by, obstacle, endpoint_id,
                   CASE WHEN claimed_by IS NULL THEN claimable_at ELSE lease_ends END AS claimable_at
              FROM sundial.events) AS event)sql"};

/// Limited, because an exact count of millions would take too long.
inline constexpr Statement dead_letters{"dead_letters", R"sql(
    SELECT count(*) FROM (
        SELECT 1 FROM sundial.event_history
         WHERE status = 'FAILED' AND dismissed_at IS NULL LIMIT 100000) AS counted)sql"};

inline constexpr Statement stored_events{"stored_events", R"sql(
    SELECT status, sum(rows)::bigint FROM sundial.stored_events() GROUP BY status)sql"};

}  // namespace sundial::postgres::sql
