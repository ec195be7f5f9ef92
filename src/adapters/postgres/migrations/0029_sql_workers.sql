-- Workers of PULL endpoints that speak SQL. A claim is committed with the caller's transaction, so a worker commits before it
-- begins its work. The version that the claim returns fences everything that the worker reports.

-- Stands for the instance in claims that were made by SQL.
CREATE FUNCTION sundial.sql_instance() RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT '01990000-0000-7000-8000-000000000002'::uuid $$;

-- An occurrence is judged and its successor planned by a server, once, before its first claim by SQL.
CREATE UNIQUE INDEX intake_occurrences ON sundial.intake (subject) WHERE kind = 'OCCURRENCE';

-- The delays before each retry, in seconds (reliability 6).
CREATE FUNCTION sundial.delays_of(policy text, custom integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE policy WHEN 'standard' THEN '{1,2,4,30,300,1800,7200,18000,36000,86400}'::integer[]
                       WHEN 'seed' THEN '{1,2,4}' ELSE custom END
$$;

-- Moves a live row to the history. Started: when its last try began; null if none was sent.
CREATE FUNCTION sundial.finish_claimed(event sundial.events, result text, why text, started timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    now CONSTANT timestamptz := sundial.clock();
BEGIN
    DELETE FROM sundial.events WHERE shard = event.shard AND id = event.id;
    INSERT INTO sundial.event_history
        (shard, id, status, priority, finished_at, reason, settled_by, started_at, duration,
         version, attempt, retry_count, due, idempotency_key, event_type,
         user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap,
         tz_release, payload, retry_of, first_attempt_at, created_at, updated_at,
         jitter, nominal_time, second_pass, origin, worker)
    VALUES
        (event.shard, event.id, result, event.priority, now, why, event.claimed_by, started, coalesce(now - started, '0'),
         event.version + 1, event.attempt, event.retry_count, event.due, event.idempotency_key, event.event_type,
         event.user_id, event.endpoint_id, event.schedule_id, event.schedule_version, event.nominal, event.wall, event.zone,
         event.gap, event.overlap, event.tz_release, event.payload, event.retry_of,
         coalesce(event.first_attempt_at, started), event.created_at, now,
         event.jitter, event.nominal_time, event.second_pass, event.origin, event.worker);
END $$;

-- How many events the limits of a PULL endpoint allow now, at most `wanted`. Locks its limits until the transaction ends.
CREATE FUNCTION sundial.permits(endpoint sundial.endpoints, wanted integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    now     CONSTANT timestamptz := sundial.clock();
    allowed integer := wanted;
    full_at timestamptz;
    gap     interval;
BEGIN
    IF endpoint.max_in_flight IS NULL AND endpoint.rate_per_second IS NULL THEN
        RETURN allowed;
    END IF;
    INSERT INTO sundial.endpoint_limits (endpoint_id, bucket_full_at) VALUES (endpoint.id, 'epoch') ON CONFLICT DO NOTHING;
    SELECT bucket_full_at INTO full_at FROM sundial.endpoint_limits WHERE endpoint_id = endpoint.id FOR UPDATE;
    IF endpoint.max_in_flight IS NOT NULL THEN
        allowed := least(allowed, endpoint.max_in_flight - (
            SELECT count(*)
              FROM generate_series(0, sundial.shards() - 1) AS part(number)
             CROSS JOIN LATERAL (SELECT FROM sundial.events
                                  WHERE shard = part.number::smallint AND endpoint_id = endpoint.id AND worker IS NOT NULL
                                    AND lease_ends > now) AS held)::integer);
    END IF;
    IF endpoint.rate_per_second IS NOT NULL THEN
        gap := make_interval(secs => ceil(1000000.0 / endpoint.rate_per_second) / 1000000);
        full_at := greatest(full_at, now);
        allowed := least(allowed, 1 + floor(extract(epoch FROM (now + (endpoint.rate_burst - 1) * gap - full_at)) / extract(epoch FROM gap))::integer);
    END IF;
    RETURN greatest(allowed, 0);
END $$;

CREATE FUNCTION sundial.take_permits(endpoint sundial.endpoints, taken integer) RETURNS void LANGUAGE sql AS $$
    UPDATE sundial.endpoint_limits
       SET bucket_full_at = greatest(bucket_full_at, sundial.clock())
                            + taken * make_interval(secs => ceil(1000000.0 / endpoint.rate_per_second) / 1000000)
     WHERE endpoint_id = endpoint.id AND endpoint.rate_per_second IS NOT NULL AND taken > 0
$$;

-- Claims events of a PULL endpoint that are due: new, to be retried, or with an expired lease. Never waits for other claims.
CREATE FUNCTION sundial.claim(endpoint text, worker text, max integer DEFAULT 10, lease interval DEFAULT '30 seconds')
    RETURNS TABLE (id uuid, version bigint, attempt integer, event_type text, payload jsonb, idempotency_key text,
                   priority text, target timestamptz, user_id uuid, schedule_id uuid, lease_ends timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    now      CONSTANT timestamptz := sundial.clock();
    names    CONSTANT text[] := '{CRITICAL,HIGH,NORMAL,LOW}';
    its      sundial.endpoints;
    delays   integer[];
    wanted   integer;
    taken    integer := 0;
    part     record;
    event    sundial.events;
    accepted record;
BEGIN
    PERFORM sundial.refuse_text('/worker', claim.worker, 100);
    IF claim.max IS NULL OR claim.max NOT BETWEEN 1 AND 100 THEN
        PERFORM sundial.refuse_field('/limit', 'out_of_range', 'must be 1 to 100');
    ELSIF claim.lease IS NULL OR claim.lease NOT BETWEEN interval '1 second' AND interval '12 hours' THEN
        PERFORM sundial.refuse_field('/lease', 'out_of_range', 'must be 1 second to 12 hours');
    END IF;
    SELECT one.* INTO its FROM sundial.endpoints AS one WHERE one.id = (sundial.endpoint_to_use(claim.endpoint, true)).id;
    IF its.type <> 'PULL' THEN
        PERFORM sundial.refuse_field('/endpointId', 'not_allowed',
            format('endpoint %L is of type %s; only a PULL endpoint''s events are claimed by workers', its.name, its.type));
    ELSIF NOT its.enabled THEN
        PERFORM sundial.refuse('SD409', 'ENDPOINT_DISABLED', jsonb_build_object('reason', coalesce(its.disabled_reason, 'disabled')),
                               format('endpoint %L is disabled', its.name));
    END IF;
    delays := sundial.delays_of(its.retry_policy, its.retry_delays);
    wanted := sundial.permits(its, claim.max);

    -- The parts (shard and priority) that have something due, in an order that gives each priority its share: 8, 4, 2, 1.
    FOR part IN
        SELECT shard.number::smallint AS shard, prio.number::smallint AS priority
          FROM generate_series(0, sundial.shards() - 1) AS shard(number)
         CROSS JOIN generate_series(0, 3) AS prio(number)
         WHERE wanted > 0 AND EXISTS (SELECT FROM sundial.events AS head
                        WHERE head.shard = shard.number::smallint AND head.endpoint_id = its.id
                          AND head.priority = prio.number::smallint AND head.pull AND head.claimable_at <= now)
         ORDER BY -ln(1.0 - random()) / (ARRAY[8, 4, 2, 1])[prio.number + 1]
    LOOP
        EXIT WHEN taken >= wanted;
        FOR event IN
            SELECT one.* FROM sundial.events AS one
             WHERE one.shard = part.shard AND one.endpoint_id = its.id AND one.priority = part.priority AND one.pull
               AND one.claimable_at <= now
               -- Another server's clock may have made the lease: wait for its full length.
               AND (one.claimed_by IS NULL OR one.updated_at >= pg_postmaster_start_time()
                    OR pg_postmaster_start_time() + (one.lease_ends - one.updated_at) <= statement_timestamp())
               AND (one.schedule_id IS NULL OR one.origin <> 'rule' OR one.first_attempt_at IS NOT NULL OR one.retry_count > 0
                    OR one.retry_of IS NOT NULL OR one.claimed_by IS NOT NULL
                    OR EXISTS (SELECT FROM sundial.intake AS judged
                                WHERE judged.subject = one.id AND judged.kind = 'OCCURRENCE' AND judged.done))
             ORDER BY one.claimable_at LIMIT wanted - taken FOR UPDATE OF one SKIP LOCKED
        LOOP
            IF event.claimed_by IS NOT NULL THEN
                INSERT INTO sundial.attempts
                    (shard, event_id, number, outcome, endpoint_id, started_at, instance_id, recorded_at, held, worker)
                VALUES (event.shard, event.id, event.attempt, 'LOST', its.id, event.updated_at, event.claimed_by, now,
                        event.version, event.worker) ON CONFLICT DO NOTHING;
                event.retry_count := event.retry_count + 1;
                event.first_attempt_at := coalesce(event.first_attempt_at, event.updated_at);
            END IF;
            DELETE FROM sundial.intake AS judged WHERE judged.subject = event.id AND judged.kind = 'OCCURRENCE';
            IF event.retry_count > 0 THEN
                SELECT late.* INTO accepted FROM sundial.attempts AS late
                 WHERE late.shard = event.shard AND late.event_id = event.id AND late.outcome = 'LATE' AND late.error_code = '' LIMIT 1;
                IF FOUND THEN  -- its worker reported success too late: nothing more is to be done
                    event.claimed_by := sundial.sql_instance();
                    event.worker := claim.worker;
                    event.attempt := event.attempt + 1;
                    event.version := event.version + 1;
                    PERFORM sundial.finish_claimed(event, 'COMPLETED', NULL, accepted.started_at);
                    CONTINUE;
                END IF;
            END IF;
            IF event.claimed_by IS NOT NULL AND event.retry_count > cardinality(delays) THEN
                event.claimed_by := sundial.sql_instance();
                event.worker := claim.worker;
                event.attempt := event.attempt + 1;
                event.version := event.version + 1;
                PERFORM sundial.finish_claimed(event, 'FAILED',
                    'LEASE_LOST no attempts remain: the last holder did not report its result in time', NULL);
                CONTINUE;
            ELSIF event.payload = '' THEN
                event.claimed_by := sundial.sql_instance();
                event.worker := claim.worker;
                event.attempt := event.attempt + 1;
                event.version := event.version + 1;
                INSERT INTO sundial.attempts (shard, event_id, number, outcome, endpoint_id, started_at, error_code, error_text,
                                              instance_id, recorded_at, held, worker)
                VALUES (event.shard, event.id, event.attempt, 'PERMANENT', its.id, now, 'WORKER',
                        'PAYLOAD_TOO_LARGE its schedule''s payload has more than 262144 bytes after its template was filled in',
                        event.claimed_by, now, event.version, event.worker);
                PERFORM sundial.finish_claimed(event, 'FAILED',
                    'WORKER PAYLOAD_TOO_LARGE its schedule''s payload has more than 262144 bytes after its template was filled in', now);
                CONTINUE;
            END IF;
            UPDATE sundial.events AS one
               SET status = 'PROCESSING', version = event.version + 1, attempt = event.attempt + 1,
                   retry_count = event.retry_count, first_attempt_at = event.first_attempt_at,
                   claimed_by = sundial.sql_instance(), worker = claim.worker, claimable_at = now + claim.lease,
                   lease_ends = now + claim.lease, updated_at = now, obstacle = NULL
             WHERE one.shard = event.shard AND one.id = event.id;
            taken := taken + 1;
            id := event.id;
            version := event.version + 1;
            attempt := event.attempt + 1;
            event_type := event.event_type;
            payload := event.payload;
            idempotency_key := event.idempotency_key;
            priority := names[event.priority + 1];
            target := event.due + event.jitter;
            user_id := event.user_id;
            schedule_id := event.schedule_id;
            lease_ends := now + claim.lease;
            RETURN NEXT;
        END LOOP;
        -- First occurrences wait until a server has judged them.
        INSERT INTO sundial.intake (kind, subject, actor, asked_at)
        SELECT 'OCCURRENCE', waiting.id, sundial.sql_actor(), now
          FROM (SELECT one.id FROM sundial.events AS one
                 WHERE one.shard = part.shard AND one.endpoint_id = its.id AND one.priority = part.priority AND one.pull
                   AND one.claimable_at <= now AND one.claimed_by IS NULL AND one.schedule_id IS NOT NULL AND one.origin = 'rule'
                   AND one.first_attempt_at IS NULL AND one.retry_count = 0 AND one.retry_of IS NULL
                   AND NOT EXISTS (SELECT FROM sundial.intake AS asked WHERE asked.subject = one.id AND asked.kind = 'OCCURRENCE')
                 ORDER BY one.claimable_at LIMIT claim.max FOR UPDATE OF one SKIP LOCKED) AS waiting
        ON CONFLICT DO NOTHING;
    END LOOP;
    PERFORM sundial.take_permits(its, taken);
END $$;

-- The claimed event, locked. Null if the worker's claim has ended.
CREATE FUNCTION sundial.lock_claim(event_id uuid, held bigint, OUT event sundial.events) LANGUAGE plpgsql AS $$
BEGIN
    SELECT * INTO event FROM sundial.events AS one
     WHERE one.shard = sundial.shard_of(event_id) AND one.id = event_id AND one.version = held AND one.worker IS NOT NULL FOR UPDATE;
    IF NOT FOUND THEN
        event := NULL;
        IF NOT EXISTS (SELECT FROM sundial.v_events AS known WHERE known.shard = sundial.shard_of(event_id) AND known.id = event_id) THEN
            PERFORM sundial.refuse_missing_event(event_id);
        END IF;
    END IF;
END $$;

-- A worker's report about a claim that has ended: true if it repeats the recorded report. A LOST attempt becomes LATE.
CREATE FUNCTION sundial.report_late(event_id uuid, held bigint, reported text, why text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    part CONSTANT smallint := sundial.shard_of(event_id);
BEGIN
    IF reported = 'SUCCEEDED' AND EXISTS (
            SELECT FROM sundial.event_history AS done
             WHERE done.shard = part AND done.id = report_late.event_id AND done.status = 'COMPLETED' AND done.version = held + 1
               AND done.worker IS NOT NULL) THEN
        RETURN true;
    ELSIF EXISTS (SELECT FROM sundial.attempts AS known
                   WHERE known.shard = part AND known.event_id = report_late.event_id AND known.held = report_late.held
                     AND known.worker IS NOT NULL
                     AND known.outcome = ANY (CASE reported WHEN 'FAILED' THEN '{RETRYABLE,PERMANENT}' WHEN 'RELEASED' THEN '{RELEASED}'
                                                            ELSE '{}' END::text[])) THEN
        RETURN true;
    ELSIF reported IN ('SUCCEEDED', 'FAILED') THEN
        UPDATE sundial.attempts AS lost
           SET outcome = 'LATE', duration = coalesce(sundial.clock() - lost.started_at, '0'), recorded_at = sundial.clock(),
               error_code = CASE reported WHEN 'FAILED' THEN 'WORKER' ELSE '' END, error_text = coalesce(why, '')
         WHERE lost.shard = part AND lost.event_id = report_late.event_id AND lost.held = report_late.held
           AND lost.worker IS NOT NULL AND lost.outcome = 'LOST';
    END IF;
    RETURN false;
END $$;

-- True: the event is COMPLETED by this attempt. False: the lease was lost, and another worker may have the event.
CREATE FUNCTION sundial.complete(id uuid, version bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    event sundial.events := sundial.lock_claim(complete.id, complete.version);
BEGIN
    IF event.id IS NULL THEN
        RETURN sundial.report_late(complete.id, complete.version, 'SUCCEEDED', NULL);
    END IF;
    PERFORM sundial.finish_claimed(event, 'COMPLETED', NULL, event.updated_at);
    RETURN true;
END $$;

-- Not done. With retry, it is tried again by its endpoint's retry policy; without, it is FAILED at once.
CREATE FUNCTION sundial.fail(id uuid, version bigint, reason text DEFAULT '', retry boolean DEFAULT true) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now    CONSTANT timestamptz := sundial.clock();
    words  CONSTANT text := left(regexp_replace(coalesce(fail.reason, ''), '[\u0001-\u001f\u007f-\u009f]', ' ', 'g'), 1000);
    event  sundial.events := sundial.lock_claim(fail.id, fail.version);
    delays integer[] := '{1,2,4,30,300,1800,7200,18000,36000,86400}';
BEGIN
    IF event.id IS NULL THEN
        RETURN sundial.report_late(fail.id, fail.version, 'FAILED', words);
    END IF;
    SELECT sundial.delays_of(its.retry_policy, its.retry_delays) INTO delays FROM sundial.endpoints AS its WHERE its.id = event.endpoint_id;
    INSERT INTO sundial.attempts (shard, event_id, number, outcome, endpoint_id, started_at, duration, error_code, error_text,
                                  instance_id, recorded_at, held, worker)
    VALUES (event.shard, event.id, event.attempt, CASE WHEN retry IS NOT FALSE THEN 'RETRYABLE' ELSE 'PERMANENT' END, event.endpoint_id,
            event.updated_at, now - event.updated_at, 'WORKER', words, event.claimed_by, now, event.version, event.worker)
    ON CONFLICT DO NOTHING;
    IF retry IS NOT FALSE AND event.retry_count < cardinality(delays) THEN
        UPDATE sundial.events AS one
           SET version = one.version + 1, retry_count = one.retry_count + 1, claimed_by = NULL, worker = NULL, lease_ends = NULL,
               claimable_at = now + delays[one.retry_count + 1] * (0.9 + 0.2 * random()) * interval '1 second', updated_at = now,
               first_attempt_at = coalesce(one.first_attempt_at, event.updated_at)
         WHERE one.shard = event.shard AND one.id = event.id;
    ELSE
        event.retry_count := event.retry_count + (retry IS NOT FALSE)::integer;
        PERFORM sundial.finish_claimed(event, 'FAILED', rtrim('WORKER ' || words), event.updated_at);
    END IF;
    RETURN true;
END $$;

-- Gives the claim back: the event is claimable at once, and no attempt is counted.
CREATE FUNCTION sundial.release(id uuid, version bigint) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now   CONSTANT timestamptz := sundial.clock();
    event sundial.events := sundial.lock_claim(release.id, release.version);
BEGIN
    IF event.id IS NULL THEN
        RETURN sundial.report_late(release.id, release.version, 'RELEASED', NULL);
    END IF;
    UPDATE sundial.events AS one
       SET version = one.version + 1, claimed_by = NULL, worker = NULL, lease_ends = NULL, claimable_at = now, updated_at = now
     WHERE one.shard = event.shard AND one.id = event.id;
    INSERT INTO sundial.attempts (shard, event_id, number, outcome, endpoint_id, error_text, instance_id, recorded_at, held, worker)
    VALUES (event.shard, event.id, event.attempt, 'RELEASED', event.endpoint_id, 'RELEASED its worker released it', event.claimed_by, now,
            event.version, event.worker)
    ON CONFLICT DO NOTHING;
    RETURN true;
END $$;

-- A longer lease, from now on. The version stays.
CREATE FUNCTION sundial.extend(id uuid, version bigint, lease interval DEFAULT '30 seconds') RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    event sundial.events;
BEGIN
    IF extend.lease IS NULL OR extend.lease NOT BETWEEN interval '1 second' AND interval '12 hours' THEN
        PERFORM sundial.refuse_field('/lease', 'out_of_range', 'must be 1 second to 12 hours');
    END IF;
    event := sundial.lock_claim(extend.id, extend.version);
    IF event.id IS NULL THEN
        RETURN false;
    END IF;
    UPDATE sundial.events AS one SET claimable_at = sundial.clock() + extend.lease, lease_ends = sundial.clock() + extend.lease
     WHERE one.shard = event.shard AND one.id = event.id;
    RETURN true;
END $$;
