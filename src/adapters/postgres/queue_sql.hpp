#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL of the event queue and of the pull queue: peek, claim, settle, release, extend. A write
/// after a claim has the condition `shard AND id AND version`, without the status: with a condition
/// on the status the planner used a partial index over all rows in flight, 47 times slower
/// (performance.md 2). Time is the database's: sundial.clock() is statement_timestamp(), and the
/// only clock that tests set (ADR 0005).
namespace sundial::postgres::sql {

/// For each part (one priority of a shard), by its ordinal: when an event of the given time range
/// becomes claimable (the first unclaimed entry, or the first lease to end among the claimed
/// entries before it); the first entry that is free or will be within two seconds; the number of
/// pages read so far; and, for claim_floors.hpp, the transaction id below which all transactions
/// have ended, and the next id. The snapshot's upper bound cannot be used for the latter: the
/// latest transactions may be open beyond it. `before` is part of the last join so that it is
/// evaluated first. The claimed entries are ordered only for the planner, which otherwise may take
/// any index while statistics say that the table is empty. What dead instances have claimed counts
/// as free. $1 shards, each once for each priority, $2 from, $3 until, $4 dead instances, $5 when
/// they were found dead. Of the events with an endpoint.
inline constexpr Statement peek{"look", R"sql(
    SELECT part.place, least(head.claimable_at, held.until, 'infinity'),
           least(head.claimable_at, held.soon, 'infinity'),
           pg_stat_get_xact_blocks_fetched('sundial.events_to_claim'::regclass)
               + pg_stat_get_xact_blocks_fetched('sundial.events'::regclass) - before.pages,
           pg_snapshot_xmin(seen)::text::bigint,
           pg_snapshot_xmin(seen)::text::bigint + age(pg_snapshot_xmin(seen)::xid)
      FROM (SELECT pg_stat_get_xact_blocks_fetched('sundial.events_to_claim'::regclass)
                   + pg_stat_get_xact_blocks_fetched('sundial.events'::regclass) OFFSET 0) AS before(pages)
     CROSS JOIN pg_current_snapshot() AS seen
     CROSS JOIN unnest($1::smallint[], $2::timestamptz[], $3::timestamptz[])
           WITH ORDINALITY AS part(shard, floor, ceiling, place)
      LEFT JOIN LATERAL (
            SELECT claimable_at FROM sundial.events
             WHERE shard = part.shard AND priority = ((part.place - 1) % 4)::smallint AND NOT pull
               AND obstacle IS DISTINCT FROM 'LIMIT' AND endpoint_id IS NOT NULL
               AND claimable_at >= part.floor AND claimable_at < part.ceiling
               AND claimed_by IS NULL AND before.pages IS NOT NULL
             ORDER BY claimable_at LIMIT 1) AS head ON true
     CROSS JOIN LATERAL (
            SELECT min(lease_ends) AS until,
                   min(claimable_at) FILTER (WHERE lease_ends <= sundial.clock() + interval '2 s') AS soon
              FROM (SELECT claimable_at,
                           CASE WHEN claimed_by = ANY ($4::uuid[]) AND updated_at <= $5 THEN claimable_at
                                ELSE lease_ends END AS lease_ends
                      FROM sundial.events
                     WHERE shard = part.shard AND priority = ((part.place - 1) % 4)::smallint AND NOT pull
                       AND obstacle IS DISTINCT FROM 'LIMIT' AND endpoint_id IS NOT NULL
                       AND claimable_at >= part.floor AND claimable_at < part.ceiling
                       AND claimable_at <= least(head.claimable_at, sundial.clock())
                       AND claimed_by IS NOT NULL
                     ORDER BY claimable_at) AS claimed) AS held)sql"};
/// The same for events of type $4 without an endpoint; $5 and $6 as $4 and $5 above.
inline constexpr Statement peek_to_handle{"look_to_handle", R"sql(
    SELECT part.place, least(head.claimable_at, held.until, 'infinity'),
           least(head.claimable_at, held.soon, 'infinity'),
           pg_stat_get_xact_blocks_fetched('sundial.events_to_handle'::regclass)
               + pg_stat_get_xact_blocks_fetched('sundial.events'::regclass) - before.pages,
           pg_snapshot_xmin(seen)::text::bigint,
           pg_snapshot_xmin(seen)::text::bigint + age(pg_snapshot_xmin(seen)::xid)
      FROM (SELECT pg_stat_get_xact_blocks_fetched('sundial.events_to_handle'::regclass)
                   + pg_stat_get_xact_blocks_fetched('sundial.events'::regclass) OFFSET 0) AS before(pages)
     CROSS JOIN pg_current_snapshot() AS seen
     CROSS JOIN unnest($1::smallint[], $2::timestamptz[], $3::timestamptz[], $4::text[])
           WITH ORDINALITY AS part(shard, floor, ceiling, type, place)
      LEFT JOIN LATERAL (
            SELECT claimable_at FROM sundial.events
             WHERE shard = part.shard AND priority = ((part.place - 1) % 4)::smallint AND endpoint_id IS NULL
               AND event_type = part.type
               AND claimable_at >= part.floor AND claimable_at < part.ceiling
               AND claimed_by IS NULL AND before.pages IS NOT NULL
             ORDER BY claimable_at LIMIT 1) AS head ON true
     CROSS JOIN LATERAL (
            SELECT min(lease_ends) AS until,
                   min(claimable_at) FILTER (WHERE lease_ends <= sundial.clock() + interval '2 s') AS soon
              FROM (SELECT claimable_at,
                           CASE WHEN claimed_by = ANY ($5::uuid[]) AND updated_at <= $6 THEN claimable_at
                                ELSE lease_ends END AS lease_ends
                      FROM sundial.events
                     WHERE shard = part.shard AND priority = ((part.place - 1) % 4)::smallint AND endpoint_id IS NULL
                       AND event_type = part.type
                       AND claimable_at >= part.floor AND claimable_at < part.ceiling
                       AND claimable_at <= least(head.claimable_at, sundial.clock())
                       AND claimed_by IS NOT NULL
                     ORDER BY claimable_at) AS claimed) AS held)sql"};

// Below, live events are looked up by shard and id from the same rows, not by the constant $1. With
// a constant, the planner reads the whole shard with its dead rows, and joins that with the given
// rows, once statistics say that the table is empty.

/// Claims events of one shard with an endpoint: new, to be retried, with an expired lease, or with
/// a holder that was found dead. The attempt of such a holder began when it claimed the event, at
/// updated_at. Skips rows that
/// others have locked, never waits. Unclaimed events of limited endpoints join their lines instead,
/// without another change. $1 shard, $2 priorities, $3 limit for each, $4 instance, $5 lease, $6
/// start time of the server whose clock may declare leases expired (null: none), $7 where to start
/// in each priority (claim_floors.hpp), $8 limited endpoints, $9 dead instances, $10 when they were
/// found dead. Rows come unordered.
inline constexpr Statement claim_ready{"claim_ready", R"sql(
    WITH ready AS (
        SELECT due.* FROM unnest($2::smallint[], $3::integer[], $7::timestamptz[]) AS share(priority, rows, floor)
         CROSS JOIN LATERAL (
            SELECT shard, id, version, attempt, claimed_by, endpoint_id, updated_at,
                   claimed_by IS NULL AND endpoint_id = ANY ($8::uuid[]) IS TRUE AS waits
              FROM sundial.events
             WHERE shard = $1 AND priority = share.priority AND NOT pull AND obstacle IS DISTINCT FROM 'LIMIT'
               AND endpoint_id IS NOT NULL
               AND claimable_at >= share.floor AND claimable_at <= sundial.clock()
               AND (claimed_by IS NULL
                    OR ((lease_ends <= sundial.clock()
                         OR (claimed_by = ANY ($9::uuid[]) AND updated_at <= $10))
                        AND $6 = (SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint)))
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due),
    lost AS (
        INSERT INTO sundial.attempts
            (shard, event_id, number, outcome, endpoint_id, started_at, instance_id, recorded_at, held)
        SELECT shard, id, attempt, 'LOST', endpoint_id, updated_at, claimed_by, sundial.clock(), version
          FROM ready WHERE claimed_by IS NOT NULL
        ON CONFLICT DO NOTHING)
    UPDATE sundial.events AS event
       SET status = CASE WHEN ready.waits THEN event.status ELSE 'PROCESSING' END,
           version = event.version + (NOT ready.waits)::integer,
           attempt = event.attempt + (NOT ready.waits)::integer,
           retry_count = event.retry_count + (ready.claimed_by IS NOT NULL)::integer,  -- a lost try counts
           first_attempt_at = CASE WHEN ready.claimed_by IS NULL THEN event.first_attempt_at
                                   ELSE coalesce(event.first_attempt_at, ready.updated_at) END,
           claimed_by = CASE WHEN NOT ready.waits THEN $4::uuid END,
           lease_ends = CASE WHEN NOT ready.waits THEN sundial.clock() + $5 END,
           updated_at = CASE WHEN ready.waits THEN event.updated_at ELSE sundial.clock() END,
           obstacle = CASE WHEN ready.waits THEN 'LIMIT' END
      FROM ready WHERE event.shard = ready.shard AND event.id = ready.id
    RETURNING event.*, ready.claimed_by IS NOT NULL AS rescued, sundial.clock() AS now)sql"};
/// The same for events of type $8 without an endpoint. They have no limits. $9 and $10 as above.
inline constexpr Statement claim_to_handle{"claim_to_handle", R"sql(
    WITH ready AS (
        SELECT due.* FROM unnest($2::smallint[], $3::integer[], $7::timestamptz[]) AS share(priority, rows, floor)
         CROSS JOIN LATERAL (
            SELECT shard, id, version, attempt, claimed_by, updated_at FROM sundial.events
             WHERE shard = $1 AND priority = share.priority AND endpoint_id IS NULL AND event_type = $8
               AND claimable_at >= share.floor AND claimable_at <= sundial.clock()
               AND (claimed_by IS NULL
                    OR ((lease_ends <= sundial.clock()
                         OR (claimed_by = ANY ($9::uuid[]) AND updated_at <= $10))
                        AND $6 = (SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint)))
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due),
    lost AS (
        INSERT INTO sundial.attempts
            (shard, event_id, number, outcome, endpoint_id, started_at, instance_id, recorded_at, held)
        SELECT shard, id, attempt, 'LOST', NULL, updated_at, claimed_by, sundial.clock(), version
          FROM ready WHERE claimed_by IS NOT NULL
        ON CONFLICT DO NOTHING)
    UPDATE sundial.events AS event
       SET status = 'PROCESSING', version = event.version + 1, attempt = event.attempt + 1,
           retry_count = event.retry_count + (ready.claimed_by IS NOT NULL)::integer,  -- a lost try counts
           first_attempt_at = CASE WHEN ready.claimed_by IS NULL THEN event.first_attempt_at
                                   ELSE coalesce(event.first_attempt_at, ready.updated_at) END,
           claimed_by = $4, lease_ends = sundial.clock() + $5, updated_at = sundial.clock(),
           obstacle = NULL
      FROM ready WHERE event.shard = ready.shard AND event.id = ready.id
    RETURNING event.*, ready.claimed_by IS NOT NULL AS rescued, sundial.clock() AS now)sql"};

/// Claims events of one shard in the line of endpoint $6. $1 shard, $2 priorities, $3 limit for
/// each, $4 instance, $5 lease. Rows come unordered.
inline constexpr Statement claim_from_line{"claim_from_line", R"sql(
    WITH ready AS (
        SELECT due.* FROM unnest($2::smallint[], $3::integer[]) AS share(priority, rows)
         CROSS JOIN LATERAL (
            SELECT shard, id FROM sundial.events
             WHERE shard = $1 AND endpoint_id = $6 AND priority = share.priority AND obstacle = 'LIMIT'
               AND claimable_at <= sundial.clock()
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due)
    UPDATE sundial.events AS event
       SET status = 'PROCESSING', version = event.version + 1, attempt = event.attempt + 1,
           claimed_by = $4, lease_ends = sundial.clock() + $5, updated_at = sundial.clock(),
           obstacle = NULL
      FROM ready WHERE event.shard = ready.shard AND event.id = ready.id
    RETURNING event.*, false AS rescued, sundial.clock() AS now)sql"};

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
/// Endpoints whose limits instances must ask; those of pull workers ask for themselves.
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

/// Number of events that the workers of PULL endpoint $1 hold. $2 number of shards.
inline constexpr Statement held_by_workers{"held_by_workers", R"sql(
    SELECT count(*)
      FROM generate_series(0, $2 - 1) AS shard(number)
     CROSS JOIN LATERAL (
            SELECT FROM sundial.events
             WHERE shard = shard.number::smallint AND endpoint_id = $1 AND worker IS NOT NULL
               AND lease_ends > sundial.clock()) AS held)sql"};

/// Like claim_ready, for the workers of one PULL endpoint. Their claims may last for hours, so they
/// move claimable_at to the end of the lease, out of the way of other claims. $1 shard, $2
/// priorities, $3 limit for each, $4 instance that received the request, $5 lease, $6 endpoint, $7
/// worker, $8 trusted server.
inline constexpr Statement claim_to_pull{"claim_to_pull", R"sql(
    WITH ready AS (
        SELECT due.* FROM unnest($2::smallint[], $3::integer[]) AS share(priority, rows)
         CROSS JOIN LATERAL (
            SELECT shard, id, version, attempt, claimed_by, worker, updated_at FROM sundial.events
             WHERE shard = $1 AND endpoint_id = $6 AND priority = share.priority AND pull
               AND claimable_at <= sundial.clock()
               AND (claimed_by IS NULL
                    OR $8 = (SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint))
             ORDER BY claimable_at LIMIT share.rows FOR UPDATE SKIP LOCKED) AS due),
    lost AS (
        INSERT INTO sundial.attempts
            (shard, event_id, number, outcome, endpoint_id, started_at, instance_id, recorded_at, held,
             worker)
        SELECT shard, id, attempt, 'LOST', $6, updated_at, claimed_by, sundial.clock(), version, worker
          FROM ready WHERE claimed_by IS NOT NULL
        ON CONFLICT DO NOTHING)
    UPDATE sundial.events AS event
       SET status = 'PROCESSING', version = event.version + 1, attempt = event.attempt + 1,
           retry_count = event.retry_count + (ready.claimed_by IS NOT NULL)::integer,  -- a lost try counts
           first_attempt_at = CASE WHEN ready.claimed_by IS NULL THEN event.first_attempt_at
                                   ELSE coalesce(event.first_attempt_at, ready.updated_at) END,
           claimed_by = $4, worker = $7, claimable_at = sundial.clock() + $5,
           lease_ends = sundial.clock() + $5, updated_at = sundial.clock(), obstacle = NULL
      FROM ready WHERE event.shard = ready.shard AND event.id = ready.id
    RETURNING event.*, ready.claimed_by IS NOT NULL AS rescued, sundial.clock() AS now)sql"};

/// Settles accepted claims of one shard, the common case. There is no attempt to record: the row of
/// the claim has the other facts for the history. Returns the ordinals (from 1) of the claims that
/// were still ours. $1 shard, $2 ids, $3 versions held, $4 starts, $5 durations, $6 status codes.
inline constexpr Statement settle_accepted{"settle_accepted", R"sql(
    WITH given AS MATERIALIZED (
        SELECT $1::smallint AS shard, *
          FROM unnest($2::uuid[], $3::bigint[], $4::timestamptz[], $5::interval[], $6::integer[])
               WITH ORDINALITY AS given(id, held, started, took, code, ordinal)),
    finished AS (
        DELETE FROM sundial.events AS event USING given
         WHERE event.shard = given.shard AND event.id = given.id AND event.version = given.held
        RETURNING event.*, given.started, given.took, given.code, given.ordinal),
    kept AS (
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, settled_by, started_at, duration,
             status_code, version, attempt, retry_count, due, idempotency_key, event_type,
             user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap,
             tz_release, payload, retry_of, first_attempt_at, created_at, updated_at,
             jitter, nominal_time, second_pass, origin, traceparent, worker)
        SELECT shard, id, 'COMPLETED', priority, sundial.clock(), claimed_by, started, took,
               code, version + 1, attempt, retry_count, due, idempotency_key, event_type,
               user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap,
               tz_release, payload, retry_of, coalesce(first_attempt_at, started), created_at,
               sundial.clock(), jitter, nominal_time, second_pass, origin, traceparent, worker
          FROM finished)
    SELECT ordinal FROM finished)sql"};

/// Settles other claims of one shard. Returns the ordinals (from 1) of the claims that were still
/// ours. $1 shard, $2 ids, $3 versions held, $4 attempt numbers, $5 instances, $6 results (FAILED
/// or RETRY), $7 retry delays, $8 reasons, $9 starts, $10 durations, $11 status codes; of the
/// attempts to record: $12 outcomes (null: none), $13 endpoints, $14 error codes, $15 error texts,
/// $16 response bodies; $17 workers (null: the instance's own claim).
inline constexpr Statement settle{"settle", R"sql(
    WITH given AS MATERIALIZED (
        SELECT $1::smallint AS shard, *
          FROM unnest($2::uuid[], $3::bigint[], $4::integer[], $5::uuid[], $6::text[], $7::interval[],
                      $8::text[], $9::timestamptz[], $10::interval[], $11::integer[], $12::text[],
                      $13::uuid[], $14::text[], $15::text[], $16::bytea[], $17::text[])
               WITH ORDINALITY AS given(id, held, number, instance, result, delay,
                                        why, started, took, code, outcome,
                                        tried_endpoint, error_code, error_text, response_body,
                                        by_worker, ordinal)),
    waiting AS (
        UPDATE sundial.events AS event
           SET version = event.version + 1, retry_count = event.retry_count + 1, claimed_by = NULL,
               worker = NULL, lease_ends = NULL, claimable_at = sundial.clock() + given.delay,
               updated_at = sundial.clock(),
               first_attempt_at = coalesce(event.first_attempt_at, given.started)
          FROM given
         WHERE given.result = 'RETRY'
           AND event.shard = given.shard AND event.id = given.id AND event.version = given.held
        RETURNING given.*),
    finished AS (
        DELETE FROM sundial.events AS event USING given
         WHERE given.result <> 'RETRY'
           AND event.shard = given.shard AND event.id = given.id AND event.version = given.held
        RETURNING event.*, given.held, given.number, given.instance, given.result, given.why,
                  given.started, given.took, given.code, given.outcome, given.tried_endpoint,
                  given.error_code, given.error_text, given.response_body, given.by_worker,
                  given.ordinal),
    kept AS (
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, reason, settled_by, started_at, duration,
             status_code, version, attempt, retry_count, due, idempotency_key, event_type,
             user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap,
             tz_release, payload, retry_of, first_attempt_at, created_at, updated_at,
             jitter, nominal_time, second_pass, origin, traceparent, worker)
        SELECT shard, id, result, priority, sundial.clock(), why, instance, started, took,
               code, version + 1, attempt,
               retry_count + (outcome IS NOT DISTINCT FROM 'RETRYABLE')::integer,  -- the last try counts
               due, idempotency_key, event_type,
               user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap,
               tz_release, payload, retry_of, coalesce(first_attempt_at, started), created_at,
               sundial.clock(), jitter, nominal_time, second_pass, origin, traceparent, by_worker
          FROM finished),
    tried AS (
        INSERT INTO sundial.attempts
            (shard, event_id, number, outcome, endpoint_id, started_at, duration, status_code,
             error_code, error_text, response_body, instance_id, recorded_at, held, worker)
        SELECT $1, id, number, outcome, tried_endpoint, started, took, code,
               error_code, error_text, response_body, instance, sundial.clock(), held, by_worker
          FROM waiting WHERE outcome IS NOT NULL
        UNION ALL
        SELECT $1, id, number, outcome, tried_endpoint, started, took, code,
               error_code, error_text, response_body, instance, sundial.clock(), held, by_worker
          FROM finished WHERE outcome IS NOT NULL
        ON CONFLICT DO NOTHING)
    SELECT ordinal FROM waiting UNION ALL SELECT ordinal FROM finished)sql"};

/// For settlements whose row is past the version held: returns the ordinals of those that had
/// already happened, when their answer was lost. Each of the others replaces its LOST attempt by
/// its own result, unless the attempt was never sent because no attempts remained. $1 to $17 as
/// above, but $6 may also be COMPLETED.
inline constexpr Statement settle_late{"settle_late", R"sql(
    WITH given AS (
        SELECT * FROM unnest($2::uuid[], $3::bigint[], $4::integer[], $5::uuid[], $6::text[], $7::interval[],
                             $8::text[], $9::timestamptz[], $10::interval[], $11::integer[], $12::text[],
                             $13::uuid[], $14::text[], $15::text[], $16::bytea[], $17::text[])
          WITH ORDINALITY AS given(id, held, number, instance, result, delay,
                                   why, started, took, code, outcome,
                                   tried_endpoint, error_code, error_text, response_body, by_worker,
                                   ordinal)),
    repeated AS (
        SELECT ordinal FROM given
         WHERE CASE WHEN result = 'RETRY'
               THEN EXISTS (SELECT FROM sundial.attempts AS ours
                             WHERE ours.shard = $1 AND ours.event_id = given.id
                               AND ours.number = given.number AND ours.outcome = 'RETRYABLE'
                               AND ours.instance_id = given.instance)
               ELSE EXISTS (SELECT FROM sundial.event_history AS finished
                             WHERE finished.shard = $1 AND finished.id = given.id
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
         WHERE lost.shard = $1 AND lost.event_id = given.id AND lost.number = given.number
           AND lost.outcome = 'LOST' AND (given.result <> 'FAILED' OR given.outcome IS NOT NULL)
           AND given.ordinal NOT IN (SELECT ordinal FROM repeated))
    SELECT ordinal FROM repeated)sql"};

/// Releases claims of one shard unsent, without using an attempt. A claim that the limits of its
/// endpoint did not allow is undone: the number of its attempt is free again, and there is no
/// record. Returns the ordinals (from 1) of the claims that were still ours. $1 shard, $2 ids, $3
/// versions held, $4 attempt numbers, $5 instances, $6 delays (null: parked), $7 reasons, $8
/// obstacles (null: none), $9 workers (null: the instance's own claim).
inline constexpr Statement release_claims{"give_back", R"sql(
    WITH given AS MATERIALIZED (
        SELECT $1::smallint AS shard, *
          FROM unnest($2::uuid[], $3::bigint[], $4::integer[], $5::uuid[], $6::interval[], $7::text[],
                      $8::text[], $9::text[])
               WITH ORDINALITY AS given(id, held, number, instance, delay, why, obstacle, by_worker,
                                        ordinal)),
    released AS (
        UPDATE sundial.events AS event
           SET version = event.version + 1, claimed_by = NULL, worker = NULL, lease_ends = NULL,
               attempt = event.attempt - (given.obstacle IS NOT DISTINCT FROM 'LIMIT')::integer,
               claimable_at = coalesce(sundial.clock() + given.delay, 'infinity'),
               updated_at = sundial.clock(), obstacle = given.obstacle
          FROM given
         WHERE event.shard = given.shard AND event.id = given.id AND event.version = given.held
        RETURNING given.ordinal, event.endpoint_id),
    tried AS (
        INSERT INTO sundial.attempts
            (shard, event_id, number, outcome, endpoint_id, error_text, instance_id, recorded_at,
             held, worker)
        SELECT $1, id, number, 'RELEASED', endpoint_id, why, instance, sundial.clock(), held, by_worker
          FROM given JOIN released USING (ordinal)
         WHERE obstacle IS DISTINCT FROM 'LIMIT'
        ON CONFLICT DO NOTHING)
    SELECT ordinal FROM released)sql"};

/// For releases whose row is past the version held: returns the ordinals of those that had already
/// happened. Only the holder puts a claimed event in line. $1 shard, $2 ids, $3 attempt numbers, $4
/// instances, $5 versions held.
inline constexpr Statement released_before{"given_back_before", R"sql(
    SELECT ordinal
      FROM (SELECT $1::smallint AS shard, *
              FROM unnest($2::uuid[], $3::integer[], $4::uuid[], $5::bigint[])
                   WITH ORDINALITY AS given(id, number, instance, held, ordinal)) AS given
     WHERE EXISTS (SELECT FROM sundial.attempts AS ours
                    WHERE ours.shard = given.shard AND ours.event_id = given.id
                      AND ours.number = given.number
                      AND ours.outcome = 'RELEASED' AND ours.instance_id = given.instance)
        OR EXISTS (SELECT FROM sundial.events AS event
                    WHERE event.shard = given.shard AND event.id = given.id
                      AND event.version = given.held + 1 AND event.obstacle = 'LIMIT'))sql"};

/// Extends leases of one shard to $4 from now. Returns the ordinals (from 1) of those still held.
/// Changes no version. $1 shard, $2 ids, $3 versions held.
inline constexpr Statement extend{"extend", R"sql(
    WITH given AS MATERIALIZED (
        SELECT $1::smallint AS shard, *
          FROM unnest($2::uuid[], $3::bigint[]) WITH ORDINALITY AS given(id, held, ordinal))
    UPDATE sundial.events AS event
       SET lease_ends = sundial.clock() + $4,
           claimable_at = CASE WHEN pull THEN sundial.clock() + $4 ELSE claimable_at END
      FROM given
     WHERE event.shard = given.shard AND event.id = given.id AND event.version = given.held
    RETURNING given.ordinal)sql"};

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
        SELECT FROM sundial.event_history
         WHERE status = 'FAILED' AND dismissed_at IS NULL LIMIT 100000) AS counted)sql"};

inline constexpr Statement stored_events{"stored_events", R"sql(
    SELECT status, sum(rows)::bigint FROM sundial.stored_events() GROUP BY status)sql"};

}  // namespace sundial::postgres::sql
