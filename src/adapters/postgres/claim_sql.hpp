#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL of claims: claim, take over, settle, release, extend. Each statement names its shard as the
/// constant $1, so that a database distributed by shard runs it on one machine (ADR 0060). A write
/// after a claim has the condition `shard AND id AND version`, without the status: with a condition
/// on the status the planner used a partial index over all rows in flight, 47 times slower
/// (performance.md 2). Time is the database's: sundial.clock() is statement_timestamp(), and the
/// only clock that tests set (ADR 0005).
namespace sundial::postgres::sql {

// A statement below names its shard as the constant $1, so that a database distributed by shard
// runs it on one machine (ADR 0060). A plain `event.shard = $1` would also be an index condition:
// once statistics say that the table is empty, the planner then reads the whole shard with its dead
// rows, and joins that. Written twice, it is a filter.
#define SUNDIAL_IN_SHARD(row) "(" row ".shard = $1 OR " row ".shard = $1::integer)"
/// `event` is the row that `given` or `ready` names by its shard and id. With two equalities, the
/// order of the primary key could serve a merge of both relations. So the planner considered a scan
/// of the whole key, and chose it once statistics said that the table is empty. Nothing merges by a
/// shard that is compared with an array, so that only a look-up of each row is left.
#define SUNDIAL_IS(named)     \
    SUNDIAL_IN_SHARD("event") \
    " AND event.shard = ANY (ARRAY[" named ".shard]) AND event.id = " named ".id"
/// Rows of parameters as a relation `given` with the shard. OFFSET 0 keeps the planner from seeing
/// through it.
#define SUNDIAL_GIVEN(more, from) \
    "(SELECT $1::smallint AS shard, *" more " FROM " from " OFFSET 0) AS given"

/// The columns of an event that a claim returns. Status, holder, worker, end of the lease and
/// `updated_at` are the same for all events of a claim, and follow from it.
#define SUNDIAL_CLAIMED                                                                  \
    "event.id, event.priority, event.claimable_at, event.obstacle, event.version,"       \
    " event.attempt, event.retry_count, event.due, event.jitter, event.idempotency_key," \
    " event.event_type, event.user_id, event.endpoint_id, event.schedule_id,"            \
    " event.schedule_version, event.nominal, event.nominal_time, event.second_pass,"     \
    " event.origin, event.wall, event.zone, event.gap, event.overlap, event.tz_release," \
    " event.payload, event.retry_of, event.first_attempt_at, event.traceparent, event.created_at"

// What a claim finds is in a WITH, which runs once. As a subquery in FROM it would be joined: a
// planner that takes the table to be empty reads the table first, and then runs the subquery for
// each row of it. Each run locks, and finds, as many rows more as the limit allows.

/// Claims events of one shard with an endpoint: new, or to be retried. Skips rows that others have
/// locked, never waits. Unclaimed events of limited endpoints join their lines instead, without
/// another change. Events whose lease has expired, or whose holder was found dead, are only
/// returned (`lost`): take_over claims them. $1 shard, $2 priorities, $3 limit for each, $4
/// instance, $5 lease, $6 start time of the server whose clock may declare leases expired (null:
/// none), $7 where to start in each priority (claim_floors.hpp), $8 limited endpoints, $9 dead
/// instances, $10 when they were found dead. Rows come unordered.
inline constexpr Statement claim_ready{"claim_ready", R"sql(
    WITH ready AS MATERIALIZED (
        SELECT due.*, share.now, share.ends
          FROM (SELECT *, sundial.clock() AS now, sundial.clock() + $5 AS ends
                  FROM unnest($2::smallint[], $3::integer[], $7::timestamptz[])
                       AS share(priority, rows, floor) OFFSET 0) AS share
         CROSS JOIN LATERAL (
            SELECT shard, id, claimed_by IS NOT NULL AS lost,
                   claimed_by IS NULL AND endpoint_id = ANY ($8::uuid[]) IS TRUE AS waits,
                   claimed_by IS NULL AND endpoint_id = ANY ($8::uuid[]) IS NOT TRUE AS taken
              FROM sundial.events
             WHERE shard = $1 AND priority = share.priority AND NOT pull
               AND obstacle IS DISTINCT FROM 'LIMIT' AND endpoint_id IS NOT NULL
               AND claimable_at >= share.floor AND claimable_at <= sundial.clock()
               AND (claimed_by IS NULL
                    OR ((lease_ends <= sundial.clock()
                         OR (claimed_by = ANY ($9::uuid[]) AND updated_at <= $10))
                        AND $6 = (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint))
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due)
    UPDATE sundial.events AS event
       SET status = CASE WHEN ready.taken THEN 'PROCESSING' ELSE event.status END,
           version = event.version + ready.taken::integer,
           attempt = event.attempt + ready.taken::integer,
           claimed_by = CASE WHEN ready.taken THEN $4::uuid ELSE event.claimed_by END,
           lease_ends = CASE WHEN ready.taken THEN ready.ends ELSE event.lease_ends END,
           updated_at = CASE WHEN ready.taken THEN ready.now ELSE event.updated_at END,
           obstacle = CASE WHEN ready.waits THEN 'LIMIT' WHEN ready.lost THEN event.obstacle END
      FROM ready
     WHERE )sql" SUNDIAL_IS("ready") R"sql(
    RETURNING )sql" SUNDIAL_CLAIMED R"sql(, ready.lost, ready.now)sql"};
/// The same for events of type $8 without an endpoint. They have no limits. $9 and $10 as above.
inline constexpr Statement claim_to_handle{"claim_to_handle", R"sql(
    WITH ready AS MATERIALIZED (
        SELECT due.*, share.now, share.ends
          FROM (SELECT *, sundial.clock() AS now, sundial.clock() + $5 AS ends
                  FROM unnest($2::smallint[], $3::integer[], $7::timestamptz[])
                       AS share(priority, rows, floor) OFFSET 0) AS share
         CROSS JOIN LATERAL (
            SELECT shard, id, claimed_by IS NOT NULL AS lost FROM sundial.events
             WHERE shard = $1 AND priority = share.priority AND endpoint_id IS NULL AND event_type = $8
               AND claimable_at >= share.floor AND claimable_at <= sundial.clock()
               AND (claimed_by IS NULL
                    OR ((lease_ends <= sundial.clock()
                         OR (claimed_by = ANY ($9::uuid[]) AND updated_at <= $10))
                        AND $6 = (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint))
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due)
    UPDATE sundial.events AS event
       SET status = CASE WHEN ready.lost THEN event.status ELSE 'PROCESSING' END,
           version = event.version + (NOT ready.lost)::integer,
           attempt = event.attempt + (NOT ready.lost)::integer,
           claimed_by = CASE WHEN ready.lost THEN event.claimed_by ELSE $4::uuid END,
           lease_ends = CASE WHEN ready.lost THEN event.lease_ends ELSE ready.ends END,
           updated_at = CASE WHEN ready.lost THEN event.updated_at ELSE ready.now END,
           obstacle = CASE WHEN ready.lost THEN event.obstacle END
      FROM ready
     WHERE )sql" SUNDIAL_IS("ready") R"sql(
    RETURNING )sql" SUNDIAL_CLAIMED R"sql(, ready.lost, ready.now)sql"};

// Two statements of one transaction take over lost claims. Both find the same rows: those whose
// version is still the one held, and that were lost at the time $5 at which a claim found them. The
// first one locks them.
#define SUNDIAL_LOST                                                                             \
    SUNDIAL_IS("given")                                                                          \
    " AND event.version = given.held"                                                            \
    " AND event.claimed_by IS NOT NULL"                                                          \
    " AND (event.lease_ends <= $5 OR (event.claimed_by = ANY ($6::uuid[]) AND event.updated_at " \
    "<= $7))"
#define SUNDIAL_LOST_AND_GIVEN(more)                          \
    SUNDIAL_GIVEN(                                            \
        more,                                                 \
        "unnest($2::uuid[], $3::bigint[]) AS given(id, held)" \
        " WHERE $4 = (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint")

/// Records the attempts of lost claims. Such an attempt began when its holder claimed the event, at
/// updated_at. Locks the events in the order of their ids, so that two instances that find the same
/// ones cannot deadlock. $1 shard, $2 ids, $3 versions held, $4 start time of the trusted server,
/// $5 when the claims were lost, $6 dead instances, $7 when they were found dead.
inline constexpr Statement record_lost{"record_lost", R"sql(
    INSERT INTO sundial.attempts
        (shard, event_id, number, outcome, endpoint_id, started_at, instance_id, recorded_at, held,
         worker)
    SELECT event.shard, event.id, event.attempt, 'LOST', event.endpoint_id, event.updated_at,
           event.claimed_by, sundial.clock(), event.version, event.worker
      FROM )sql" SUNDIAL_LOST_AND_GIVEN("") R"sql(
      JOIN sundial.events AS event ON )sql" SUNDIAL_LOST R"sql(
     ORDER BY event.id FOR UPDATE OF event
    ON CONFLICT DO NOTHING)sql"};
/// Claims those events. A lost attempt counts as a retry. $1 to $7 as above, $8 instance, $9 lease,
/// $10 worker (null: the instance itself).
inline constexpr Statement take_over{
    "take_over",
    R"sql(
    UPDATE sundial.events AS event
       SET status = 'PROCESSING', version = event.version + 1, attempt = event.attempt + 1,
           retry_count = event.retry_count + 1,
           first_attempt_at = coalesce(event.first_attempt_at, event.updated_at),
           claimed_by = $8, worker = $10, lease_ends = given.ends, updated_at = given.now,
           claimable_at = CASE WHEN event.pull THEN given.ends ELSE event.claimable_at END,
           obstacle = NULL
      FROM )sql" SUNDIAL_LOST_AND_GIVEN(
        ", sundial.clock() AS now, sundial.clock() + $9 AS ends") R"sql(
     WHERE )sql" SUNDIAL_LOST R"sql(
    RETURNING )sql" SUNDIAL_CLAIMED R"sql(, false AS lost, given.now)sql"};

/// Claims events of one shard in the line of endpoint $6. $1 shard, $2 priorities, $3 limit for
/// each, $4 instance, $5 lease. Rows come unordered.
inline constexpr Statement claim_from_line{"claim_from_line", R"sql(
    WITH ready AS MATERIALIZED (
        SELECT due.*, share.now, share.ends
          FROM (SELECT *, sundial.clock() AS now, sundial.clock() + $5 AS ends
                  FROM unnest($2::smallint[], $3::integer[])
                       AS share(priority, rows) OFFSET 0) AS share
         CROSS JOIN LATERAL (
            SELECT shard, id FROM sundial.events
             WHERE shard = $1 AND endpoint_id = $6 AND priority = share.priority AND obstacle = 'LIMIT'
               AND claimable_at <= sundial.clock()
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due)
    UPDATE sundial.events AS event
       SET status = 'PROCESSING', version = event.version + 1, attempt = event.attempt + 1,
           claimed_by = $4, lease_ends = ready.ends, updated_at = ready.now, obstacle = NULL
      FROM ready
     WHERE )sql" SUNDIAL_IS("ready") R"sql(
    RETURNING )sql" SUNDIAL_CLAIMED R"sql(, false AS lost, ready.now)sql"};

/// Like claim_ready, for the workers of one PULL endpoint. Their claims may last for hours, so they
/// move claimable_at to the end of the lease, out of the way of other claims. $1 shard, $2
/// priorities, $3 limit for each, $4 instance that received the request, $5 lease, $6 endpoint, $7
/// worker, $8 trusted server.
inline constexpr Statement claim_to_pull{"claim_to_pull", R"sql(
    WITH ready AS MATERIALIZED (
        SELECT due.*, share.now, share.ends
          FROM (SELECT *, sundial.clock() AS now, sundial.clock() + $5 AS ends
                  FROM unnest($2::smallint[], $3::integer[])
                       AS share(priority, rows) OFFSET 0) AS share
         CROSS JOIN LATERAL (
            SELECT shard, id, claimed_by IS NOT NULL AS lost FROM sundial.events
             WHERE shard = $1 AND endpoint_id = $6 AND priority = share.priority AND pull
               AND claimable_at <= sundial.clock()
               AND (claimed_by IS NULL
                    OR $8 = (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint)
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due)
    UPDATE sundial.events AS event
       SET status = CASE WHEN ready.lost THEN event.status ELSE 'PROCESSING' END,
           version = event.version + (NOT ready.lost)::integer,
           attempt = event.attempt + (NOT ready.lost)::integer,
           claimed_by = CASE WHEN ready.lost THEN event.claimed_by ELSE $4::uuid END,
           worker = CASE WHEN ready.lost THEN event.worker ELSE $7 END,
           lease_ends = CASE WHEN ready.lost THEN event.lease_ends ELSE ready.ends END,
           claimable_at = CASE WHEN ready.lost THEN event.claimable_at ELSE ready.ends END,
           updated_at = CASE WHEN ready.lost THEN event.updated_at ELSE ready.now END,
           obstacle = CASE WHEN ready.lost THEN event.obstacle END
      FROM ready
     WHERE )sql" SUNDIAL_IS("ready") R"sql(
    RETURNING )sql" SUNDIAL_CLAIMED R"sql(, ready.lost, ready.now)sql"};

// Each statement that settles claims finds the rows whose version is still the one held. Where
// several settle a claim in one transaction, the first one locks the rows. The last one returns the
// ordinals (from 1) of the claims that were still ours.
#define SUNDIAL_HELD SUNDIAL_IS("given") " AND event.version = given.held"

/// The columns of the history that are written when an event ends, and their values, from the row
/// of the claim and from `given`.
#define SUNDIAL_HISTORY                                                                        \
    "shard, id, status, priority, finished_at, reason, settled_by, started_at, duration,"      \
    " status_code, version, attempt, retry_count, worker, due, idempotency_key, event_type,"   \
    " user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap," \
    " tz_release, payload, retry_of, first_attempt_at, created_at, updated_at, jitter,"        \
    " nominal_time, second_pass, origin, traceparent"
#define SUNDIAL_ENDS_AS(status, reason, settled_by, retries, worker)                          \
    "event.shard, event.id, '" status "', event.priority, sundial.clock(), " reason           \
    ", " settled_by                                                                           \
    ", given.started, given.took, given.code, event.version + 1, event.attempt, " retries     \
    ", " worker                                                                               \
    ", event.due, event.idempotency_key, event.event_type, event.user_id, event.endpoint_id," \
    " event.schedule_id, event.schedule_version, event.nominal, event.wall, event.zone,"      \
    " event.gap, event.overlap, event.tz_release, event.payload, event.retry_of,"             \
    " coalesce(event.first_attempt_at, given.started), event.created_at, sundial.clock(),"    \
    " event.jitter, event.nominal_time, event.second_pass, event.origin, event.traceparent"
/// An accepted claim has no attempt to record: its row has the other facts. $1 shard, $2 ids, $3
/// versions held, $4 starts, $5 durations, $6 status codes.
#define SUNDIAL_COMPLETED \
    SUNDIAL_ENDS_AS("COMPLETED", "NULL", "event.claimed_by", "event.retry_count", "event.worker")
#define SUNDIAL_ACCEPTED                                                \
    SUNDIAL_GIVEN("",                                                   \
                  "unnest($2::uuid[], $3::bigint[], $4::timestamptz[]," \
                  " $5::interval[], $6::integer[]) WITH ORDINALITY"     \
                  " AS given(id, held, started, took, code, ordinal)")
/// $1 shard, $2 ids, $3 versions held, $4 starts, $5 durations, $6 status codes, $7 instances, $8
/// reasons, $9 workers (null: the instance's own claim), $10 whether the last attempt counts as a
/// retry.
#define SUNDIAL_FAILED                                       \
    SUNDIAL_ENDS_AS("FAILED", "given.why", "given.instance", \
                    "event.retry_count + given.counts::integer", "given.by_worker")
#define SUNDIAL_REFUSED                                                                     \
    SUNDIAL_GIVEN("",                                                                       \
                  "unnest($2::uuid[], $3::bigint[], $4::timestamptz[], $5::interval[],"     \
                  " $6::integer[], $7::uuid[], $8::text[], $9::text[], $10::boolean[])"     \
                  " WITH ORDINALITY AS given(id, held, started, took, code, instance, why," \
                  " by_worker, counts, ordinal)")

/// Moves the rows of claims to their history.
#define SUNDIAL_MOVE(values, given)                                                \
    "WITH finished (" SUNDIAL_HISTORY                                              \
    ", ordinal)"                                                                   \
    " AS (DELETE FROM sundial.events AS event USING " given " WHERE " SUNDIAL_HELD \
    " RETURNING " values                                                           \
    ", given.ordinal),"                                                            \
    " kept AS (INSERT INTO sundial.event_history (" SUNDIAL_HISTORY                \
    ")"                                                                            \
    " SELECT " SUNDIAL_HISTORY                                                     \
    " FROM finished)"                                                              \
    " SELECT ordinal FROM finished"
/// Settles accepted claims of one shard, the common case.
inline constexpr Statement settle_accepted{"settle_accepted",
                                           SUNDIAL_MOVE(SUNDIAL_COMPLETED, SUNDIAL_ACCEPTED)};
/// Settles failed claims of one shard.
inline constexpr Statement settle_failed{"settle_failed",
                                         SUNDIAL_MOVE(SUNDIAL_FAILED, SUNDIAL_REFUSED)};

// The same on a distributed database. Citus refuses an INSERT in a WITH, so that one statement
// writes the history and another one removes the rows. They find each row twice, and take the
// server about a sixth more time (figures in ADR 0060).
#define SUNDIAL_KEEP(values, given)                                                   \
    "INSERT INTO sundial.event_history (" SUNDIAL_HISTORY                             \
    ")"                                                                               \
    " SELECT " values " FROM " given " JOIN sundial.events AS event ON " SUNDIAL_HELD \
    " FOR UPDATE OF event"
inline constexpr Statement keep_accepted{"keep_accepted",
                                         SUNDIAL_KEEP(SUNDIAL_COMPLETED, SUNDIAL_ACCEPTED)};
inline constexpr Statement keep_failed{"keep_failed",
                                       SUNDIAL_KEEP(SUNDIAL_FAILED, SUNDIAL_REFUSED)};
/// Removes claims whose history is written. $1 shard, $2 ids, $3 versions held.
inline constexpr Statement remove_settled{"remove_settled", R"sql(
    DELETE FROM sundial.events AS event
     USING )sql" SUNDIAL_GIVEN("", "unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY"
                                   " AS given(id, held, ordinal)") R"sql(
     WHERE )sql" SUNDIAL_HELD R"sql(
    RETURNING given.ordinal)sql"};
/// Lets events wait for their next attempt. $1 shard, $2 ids, $3 versions held, $4 delays, $5
/// starts.
inline constexpr Statement await_retry{
    "await_retry", R"sql(
    UPDATE sundial.events AS event
       SET version = event.version + 1, retry_count = event.retry_count + 1, claimed_by = NULL,
           worker = NULL, lease_ends = NULL, claimable_at = given.again, updated_at = given.now,
           first_attempt_at = coalesce(event.first_attempt_at, given.started)
      FROM )sql" SUNDIAL_GIVEN(
                       ", sundial.clock() AS now, sundial.clock() + delay AS again",
                       "unnest($2::uuid[], $3::bigint[], $4::interval[], $5::timestamptz[])"
                       " WITH ORDINALITY AS given(id, held, delay, started, ordinal)") R"sql(
     WHERE )sql" SUNDIAL_HELD R"sql(
    RETURNING given.ordinal)sql"};
/// Records the attempts of claims. $1 shard, $2 ids, $3 versions held, $4 attempt numbers, $5
/// instances, $6 outcomes (null: record nothing), $7 endpoints, $8 starts, $9 durations, $10 status
/// codes, $11 error codes, $12 error texts, $13 response bodies, $14 workers (null: the instance's
/// own claim).
inline constexpr Statement record_attempts{"record_attempts", R"sql(
    INSERT INTO sundial.attempts
        (shard, event_id, number, outcome, endpoint_id, started_at, duration, status_code,
         error_code, error_text, response_body, instance_id, recorded_at, held, worker)
    SELECT event.shard, event.id, given.number, given.outcome, given.endpoint_id, given.started,
           given.took, given.code, given.error_code, given.error_text, given.response_body,
           given.instance, sundial.clock(), given.held, given.by_worker
      FROM )sql" SUNDIAL_GIVEN("", "unnest($2::uuid[], $3::bigint[], $4::integer[], $5::uuid[],"
                                   " $6::text[], $7::uuid[], $8::timestamptz[], $9::interval[],"
                                   " $10::integer[], $11::text[], $12::text[], $13::bytea[],"
                                   " $14::text[]) AS given(id, held, number, instance, outcome,"
                                   " endpoint_id, started, took, code, error_code, error_text,"
                                   " response_body, by_worker)") R"sql(
      JOIN sundial.events AS event ON )sql" SUNDIAL_HELD R"sql(
     WHERE given.outcome IS NOT NULL
       FOR UPDATE OF event
    ON CONFLICT DO NOTHING)sql"};

/// For settlements whose row is past the version held: returns the ordinals of those that had
/// already happened, when their answer was lost. Each of the others replaces its LOST attempt by
/// its own result, unless the attempt was never sent because no attempts remained. $1 shard, $2
/// ids, $3 attempt numbers, $4 instances, $5 results (COMPLETED, FAILED or RETRY), $6 starts, $7
/// durations, $8 status codes; of the attempts to record: $9 outcomes (null: none), $10 error
/// codes, $11 error texts, $12 response bodies.
inline constexpr Statement settle_late{
    "settle_late", R"sql(
    WITH given AS (SELECT * FROM )sql" SUNDIAL_GIVEN(
                       "",
                       "unnest($2::uuid[], $3::integer[], $4::uuid[],"
                       " $5::text[], $6::timestamptz[], $7::interval[], $8::integer[],"
                       " $9::text[], $10::text[], $11::text[], $12::bytea[]) WITH ORDINALITY"
                       " AS given(id, number, instance, result, started, took, code,"
                       " outcome, error_code, error_text, response_body, ordinal)") R"sql(),
    repeated AS (
        SELECT ordinal FROM given
         WHERE CASE WHEN result = 'RETRY'
               THEN EXISTS (SELECT FROM sundial.attempts AS ours
                             WHERE )sql" SUNDIAL_IN_SHARD("ours") R"sql(
                               AND ours.shard = given.shard AND ours.event_id = given.id
                               AND ours.number = given.number AND ours.outcome = 'RETRYABLE'
                               AND ours.instance_id = given.instance)
               ELSE EXISTS (SELECT FROM sundial.event_history AS finished
                             WHERE )sql" SUNDIAL_IN_SHARD("finished") R"sql(
                               AND finished.shard = given.shard AND finished.id = given.id
                               AND finished.attempt = given.number
                               AND finished.settled_by = given.instance)
               END),
    late AS (
        UPDATE sundial.attempts AS lost
           SET outcome = 'LATE', started_at = given.started, duration = given.took,
               status_code = given.code, error_code = coalesce(given.error_code, ''),
               error_text = coalesce(given.error_text, ''),
               response_body = coalesce(given.response_body, ''), recorded_at = sundial.clock()
          FROM given
         WHERE )sql" SUNDIAL_IN_SHARD("lost") R"sql(
           AND lost.shard = given.shard AND lost.event_id = given.id AND lost.number = given.number
           AND lost.outcome = 'LOST' AND (given.result <> 'FAILED' OR given.outcome IS NOT NULL)
           AND given.ordinal NOT IN (SELECT ordinal FROM repeated))
    SELECT ordinal FROM repeated)sql"};

/// Records claims of one shard that are released unsent. $1 shard, $2 ids, $3 versions held, $4
/// attempt numbers, $5 instances, $6 reasons, $7 workers (null: the instance's own claim).
inline constexpr Statement record_released{"record_released", R"sql(
    INSERT INTO sundial.attempts
        (shard, event_id, number, outcome, endpoint_id, error_text, instance_id, recorded_at, held,
         worker)
    SELECT event.shard, event.id, given.number, 'RELEASED', event.endpoint_id, given.why,
           given.instance, sundial.clock(), given.held, given.by_worker
      FROM )sql" SUNDIAL_GIVEN("", "unnest($2::uuid[], $3::bigint[], $4::integer[], $5::uuid[],"
                                   " $6::text[], $7::text[])"
                                   " AS given(id, held, number, instance, why, by_worker)") R"sql(
      JOIN sundial.events AS event ON )sql" SUNDIAL_HELD R"sql(
       FOR UPDATE OF event
    ON CONFLICT DO NOTHING)sql"};
/// Releases claims without using an attempt. A claim that the limits of its endpoint did not allow
/// is undone: the number of its attempt is free again, and there is no record. $1 shard, $2 ids, $3
/// versions held, $4 delays (null: parked), $5 obstacles (null: none).
inline constexpr Statement release_claims{
    "give_back", R"sql(
    UPDATE sundial.events AS event
       SET version = event.version + 1, claimed_by = NULL, worker = NULL, lease_ends = NULL,
           attempt = event.attempt - (given.obstacle IS NOT DISTINCT FROM 'LIMIT')::integer,
           claimable_at = given.again, updated_at = given.now, obstacle = given.obstacle
      FROM )sql" SUNDIAL_GIVEN(
                     ", sundial.clock() AS now,"
                     " coalesce(sundial.clock() + delay, 'infinity') AS again",
                     "unnest($2::uuid[], $3::bigint[], $4::interval[], $5::text[])"
                     " WITH ORDINALITY AS given(id, held, delay, obstacle, ordinal)") R"sql(
     WHERE )sql" SUNDIAL_HELD R"sql(
    RETURNING given.ordinal)sql"};

/// For releases whose row is past the version held: returns the ordinals of those that had already
/// happened. Only the holder puts a claimed event in line. $1 shard, $2 ids, $3 attempt numbers, $4
/// instances, $5 versions held.
inline constexpr Statement released_before{
    "given_back_before",
    R"sql(
    SELECT ordinal
      FROM )sql" SUNDIAL_GIVEN(
        "",
        "unnest($2::uuid[], $3::integer[], $4::uuid[], $5::bigint[])"
        " WITH ORDINALITY AS given(id, number, instance, held, ordinal)") R"sql(
     WHERE EXISTS (SELECT FROM sundial.attempts AS ours
                    WHERE )sql" SUNDIAL_IN_SHARD("ours") R"sql(
                      AND ours.shard = given.shard AND ours.event_id = given.id
                      AND ours.number = given.number
                      AND ours.outcome = 'RELEASED' AND ours.instance_id = given.instance)
        OR EXISTS (SELECT FROM sundial.events AS event
                    WHERE )sql" SUNDIAL_IN_SHARD("event") R"sql(
                      AND event.shard = given.shard AND event.id = given.id
                      AND event.version = given.held + 1 AND event.obstacle = 'LIMIT'))sql"};

/// Extends leases of one shard to $4 from now. Returns the ordinals (from 1) of those still held.
/// Changes no version. $1 shard, $2 ids, $3 versions held.
inline constexpr Statement extend{"extend", R"sql(
    UPDATE sundial.events AS event
       SET lease_ends = given.ends,
           claimable_at = CASE WHEN event.pull THEN given.ends ELSE event.claimable_at END
      FROM )sql" SUNDIAL_GIVEN(", sundial.clock() + $4 AS ends",
                                            "unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY"
                                            " AS given(id, held, ordinal)") R"sql(
     WHERE )sql" SUNDIAL_HELD R"sql(
    RETURNING given.ordinal)sql"};

#undef SUNDIAL_KEEP
#undef SUNDIAL_MOVE
#undef SUNDIAL_REFUSED
#undef SUNDIAL_FAILED
#undef SUNDIAL_ACCEPTED
#undef SUNDIAL_COMPLETED
#undef SUNDIAL_ENDS_AS
#undef SUNDIAL_HISTORY
#undef SUNDIAL_HELD
#undef SUNDIAL_CLAIMED
#undef SUNDIAL_LOST_AND_GIVEN
#undef SUNDIAL_LOST
#undef SUNDIAL_GIVEN
#undef SUNDIAL_IS
#undef SUNDIAL_IN_SHARD

}  // namespace sundial::postgres::sql
