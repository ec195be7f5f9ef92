-- The first schema. Settings of this migration, given by whoever runs it:
--   sundial.shards         how many shards there will ever be
--   sundial.birthday_time  when birthdays are greeted, HH:MM:SS

CREATE TABLE sundial.settings (
    name  text PRIMARY KEY,
    value text NOT NULL
);
INSERT INTO sundial.settings VALUES ('shards', current_setting('sundial.shards'));

-- The one place that says what time it is. STABLE, so that it can be the bound of an index scan.
-- A database on a test clock has another body here, which reads sundial.test_clock.
CREATE FUNCTION sundial.clock() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT statement_timestamp()';

-- Empty, or the one row of a test clock.
CREATE TABLE sundial.test_clock (
    now timestamptz NOT NULL
);
CREATE UNIQUE INDEX test_clock_is_one ON sundial.test_clock ((true));

-- The shard in which an idempotency key lies, by a hash of its own.
CREATE FUNCTION sundial.shard_of_key(key text, shards integer) RETURNS smallint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT (get_byte(sha256(convert_to(key, ''UTF8'')), 31) % shards)::smallint';

-- A JSON object of texts as two arrays, in the same order.
CREATE FUNCTION sundial.names_of(object jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT coalesce(array_agg(key ORDER BY key COLLATE "C"), ''{}'') FROM jsonb_each_text(object)';
CREATE FUNCTION sundial.values_of(object jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT coalesce(array_agg(value ORDER BY key COLLATE "C"), ''{}'') FROM jsonb_each_text(object)';

CREATE TABLE sundial.users (
    id            uuid        PRIMARY KEY,
    external_id   text        UNIQUE,
    first_name    text        NOT NULL,
    last_name     text        NOT NULL,
    date_of_birth date        NOT NULL,
    timezone      text        NOT NULL,
    dates         jsonb       NOT NULL,  -- name -> "YYYY-MM-DD"
    metadata      jsonb       NOT NULL,  -- name -> text
    version       bigint      NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE INDEX users_by_creation ON sundial.users (created_at, id);

CREATE TABLE sundial.schedules (
    id              uuid        PRIMARY KEY,
    external_id     text        UNIQUE,
    event_type      text        NOT NULL,
    priority        smallint    NOT NULL CHECK (priority BETWEEN 0 AND 3),
    enabled         boolean     NOT NULL,
    note            text,
    yearly_on       text        NOT NULL,  -- dateOfBirth, a name of users.dates, or MM-DD
    yearly_at       time        NOT NULL,
    endpoint_id     uuid,
    payload         text        NOT NULL,  -- JSON template
    gap             text        NOT NULL,
    overlap         text        NOT NULL,
    leap            text        NOT NULL,
    version         bigint      NOT NULL,
    planned_version bigint      NOT NULL CHECK (planned_version <= version),
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL
);

CREATE TABLE sundial.endpoints (
    id                  uuid        PRIMARY KEY,
    external_id         text        UNIQUE,
    name                text        NOT NULL,
    type                text        NOT NULL,
    url                 text        NOT NULL,
    header_names        text[]      NOT NULL,
    header_values       text[]      NOT NULL CHECK (cardinality(header_values) = cardinality(header_names)),
    timeout             interval    NOT NULL,
    retry_policy        text        NOT NULL,
    retry_delays        integer[]   NOT NULL,  -- seconds; of a custom policy
    retry_client_errors integer     NOT NULL,
    enabled             boolean     NOT NULL,
    disabled_reason     text,
    sealed_secret       bytea       NOT NULL,
    secret_hint         text        NOT NULL,
    version             bigint      NOT NULL,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL
);
CREATE INDEX endpoints_by_creation ON sundial.endpoints (created_at, id);

-- Live events only: PENDING, and PROCESSING that is claimed (claimed_by; claimable_at is the end of
-- the lease) or waits (claimable_at is the next try, infinity while parked).
-- The shard is the last byte of the id, modulo the number of shards.
CREATE TABLE sundial.events (
    shard            smallint    NOT NULL,
    id               uuid        NOT NULL,
    status           text        NOT NULL,
    priority         smallint    NOT NULL CHECK (priority BETWEEN 0 AND 3),  -- 0 is CRITICAL
    pull             boolean     NOT NULL DEFAULT false,  -- left to the workers of its endpoint
    claimable_at     timestamptz NOT NULL,  -- when a scheduler must look at this row again
    claimed_by       uuid,
    version          bigint      NOT NULL,
    attempt          integer     NOT NULL,
    retry_count      integer     NOT NULL,
    due              timestamptz NOT NULL,
    idempotency_key  text        NOT NULL,
    event_type       text        NOT NULL,
    user_id          uuid,
    endpoint_id      uuid,
    schedule_id      uuid,
    schedule_version bigint,
    nominal          date,  -- which occurrence of the schedule: the local date
    wall             timestamp,  -- as asked, if it was asked in local time
    zone             text        NOT NULL,
    gap              text        NOT NULL,
    overlap          text        NOT NULL,
    tz_release       text        NOT NULL,
    payload          text        NOT NULL,  -- the exact text received
    retry_of         uuid,
    first_attempt_at timestamptz,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    PRIMARY KEY (shard, id),
    CONSTRAINT events_are_live CHECK (status IN ('PENDING', 'PROCESSING')),
    CONSTRAINT events_pending_are_free CHECK (status = 'PROCESSING' OR claimed_by IS NULL),
    CONSTRAINT events_leases_end CHECK (claimed_by IS NULL OR claimable_at < 'infinity'),
    CONSTRAINT events_occurrences_are_whole
        CHECK (num_nulls(schedule_id, schedule_version, nominal) IN (0, 3))
) WITH (
    fillfactor = 80,  -- room for the new row of a claim on the same page
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500,
    autovacuum_vacuum_cost_delay = 1
);
-- The one index that scheduling needs.
CREATE INDEX events_to_claim ON sundial.events (shard, priority, claimable_at) WHERE NOT pull;
-- Look-ups, by columns that no transition changes.
CREATE INDEX events_of_user ON sundial.events (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX events_of_schedule ON sundial.events (schedule_id, id) WHERE schedule_id IS NOT NULL;
CREATE INDEX events_of_endpoint ON sundial.events (endpoint_id) WHERE endpoint_id IS NOT NULL;

-- Finished events, append-only but for dismissal and erasure with the user. Failed ones are kept for
-- another time than the others, so they lie apart; both by month (UTC), dropped by retention.
CREATE TABLE sundial.event_history (
    shard            smallint    NOT NULL,
    id               uuid        NOT NULL,
    status           text        NOT NULL,
    priority         smallint    NOT NULL,
    finished_at      timestamptz NOT NULL,
    reason           text,         -- of FAILED and CANCELLED
    settled_by       uuid,         -- the instance; empty if CANCELLED
    started_at       timestamptz,  -- of the last try; empty if none was sent
    duration         interval,
    status_code      integer,
    dismissed_at     timestamptz,
    version          bigint      NOT NULL,
    attempt          integer     NOT NULL,
    retry_count      integer     NOT NULL,
    due              timestamptz NOT NULL,
    idempotency_key  text        NOT NULL,
    event_type       text        NOT NULL,
    user_id          uuid,
    endpoint_id      uuid,
    schedule_id      uuid,
    schedule_version bigint,
    nominal          date,
    wall             timestamp,
    zone             text        NOT NULL,
    gap              text        NOT NULL,
    overlap          text        NOT NULL,
    tz_release       text        NOT NULL,
    payload          text        NOT NULL,
    retry_of         uuid,
    first_attempt_at timestamptz,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    PRIMARY KEY (shard, id, status, finished_at)
) PARTITION BY LIST (status);
CREATE INDEX event_history_of_user ON sundial.event_history (user_id) WHERE user_id IS NOT NULL;
CREATE TABLE sundial.event_history_done PARTITION OF sundial.event_history
    FOR VALUES IN ('COMPLETED', 'CANCELLED') PARTITION BY RANGE (finished_at);
CREATE TABLE sundial.event_history_failed PARTITION OF sundial.event_history
    FOR VALUES IN ('FAILED') PARTITION BY RANGE (finished_at);
-- For months that nobody has made a partition for.
CREATE TABLE sundial.event_history_done_default PARTITION OF sundial.event_history_done DEFAULT;
CREATE TABLE sundial.event_history_failed_default PARTITION OF sundial.event_history_failed DEFAULT;

-- Makes the history's partitions for this month and the two after it. Repeating it does no harm; a
-- month whose first rows already lie in the default partition is left there.
CREATE FUNCTION sundial.make_history_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kind   text;
    month  timestamp;
    future text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('sundial.make_history_partitions'));
    FOREACH kind IN ARRAY ARRAY['done', 'failed'] LOOP
        FOR ahead IN 0..2 LOOP
            month := date_trunc('month', sundial.clock() AT TIME ZONE 'UTC') + make_interval(months => ahead);
            future := format('event_history_%s_%s', kind, to_char(month, 'YYYY_MM'));
            CONTINUE WHEN to_regclass('sundial.' || future) IS NOT NULL;
            BEGIN
                EXECUTE format(
                    'CREATE TABLE sundial.%I PARTITION OF sundial.%I FOR VALUES FROM (%L) TO (%L)',
                    future, 'event_history_' || kind,
                    month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
            EXCEPTION WHEN check_violation THEN
                NULL;  -- the default partition holds rows of that month
            END;
        END LOOP;
    END LOOP;
END $$;
SELECT sundial.make_history_partitions();

-- Each idempotency key and its current event. Whether the key is taken follows from where that event
-- lies. A row lies in the shard of its own key, not of its event.
CREATE TABLE sundial.event_keys (
    shard      smallint    NOT NULL,
    key        text        NOT NULL,
    event_id   uuid        NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (shard, key)
);

-- Tries worth reading. A success is told by its history row.
CREATE TABLE sundial.attempts (
    shard         smallint    NOT NULL,
    event_id      uuid        NOT NULL,
    number        integer     NOT NULL,
    outcome       text        NOT NULL,
    endpoint_id   uuid,
    started_at    timestamptz,
    duration      interval    NOT NULL DEFAULT '0',
    status_code   integer,
    error_code    text        NOT NULL DEFAULT '',
    error_text    text        NOT NULL DEFAULT '',
    response_body bytea       NOT NULL DEFAULT '',  -- whatever came back
    instance_id   uuid,
    recorded_at   timestamptz NOT NULL,
    PRIMARY KEY (shard, event_id, number)
);

-- Streams: the facts of users, schedules and endpoints, one for each change.
CREATE TABLE sundial.recorded_events (
    position       bigint      GENERATED ALWAYS AS IDENTITY,
    aggregate_type text        NOT NULL,
    aggregate_id   uuid        NOT NULL,
    version        bigint      NOT NULL,
    event_id       uuid        NOT NULL UNIQUE,
    event_type     text        NOT NULL,
    data           text,  -- a JSON object; null once erased
    correlation_id text        NOT NULL,
    recorded_at    timestamptz NOT NULL,
    PRIMARY KEY (aggregate_type, aggregate_id, version)
);
CREATE UNIQUE INDEX recorded_events_by_position ON sundial.recorded_events (position);

CREATE TABLE sundial.inbox_requests (
    endpoint_id   uuid        NOT NULL,
    id            uuid        NOT NULL,
    received_at   timestamptz NOT NULL,
    header_names  text[]      NOT NULL,
    header_values text[]      NOT NULL,
    body          bytea       NOT NULL,
    PRIMARY KEY (endpoint_id, id)
);

-- Live and finished events together: what lists read, and people.
CREATE VIEW sundial.v_events AS
    SELECT shard, id, status, priority, claimable_at, claimed_by,
           NULL::timestamptz AS finished_at, NULL::text AS reason, NULL::timestamptz AS dismissed_at,
           version, attempt, retry_count, due, idempotency_key, event_type, user_id, endpoint_id,
           schedule_id, schedule_version, nominal, wall, zone, gap, overlap, tz_release, payload,
           retry_of, first_attempt_at, created_at, updated_at,
           NULL::timestamptz AS executed_at, first_attempt_at - due AS lateness
      FROM sundial.events
    UNION ALL
    SELECT shard, id, status, priority, 'infinity', NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, idempotency_key, event_type, user_id, endpoint_id,
           schedule_id, schedule_version, nominal, wall, zone, gap, overlap, tz_release, payload,
           retry_of, first_attempt_at, created_at, updated_at,
           CASE WHEN status <> 'CANCELLED' THEN finished_at END, first_attempt_at - due
      FROM sundial.event_history;

-- How many events there are of each status. History of more than 100,000 rows in one partition is
-- estimated from the planner's statistics: nobody waits for a count of millions.
CREATE FUNCTION sundial.stored_events() RETURNS TABLE (status text, rows bigint)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    leaf record;
BEGIN
    RETURN QUERY SELECT event.status, count(*) FROM sundial.events AS event GROUP BY 1;
    FOR leaf IN
        SELECT class.oid::regclass AS name, class.relname, class.reltuples
          FROM pg_partition_tree('sundial.event_history') AS part
          JOIN pg_class AS class ON class.oid = part.relid
         WHERE part.isleaf
    LOOP
        IF leaf.reltuples <= 100000 THEN
            RETURN QUERY EXECUTE format('SELECT status, count(*) FROM %s GROUP BY 1', leaf.name);
        ELSE
            RETURN QUERY
                SELECT common.status, (leaf.reltuples * common.share)::bigint
                  FROM pg_stats AS stats
                 CROSS JOIN unnest(stats.most_common_vals::text::text[], stats.most_common_freqs)
                            AS common(status, share)
                 WHERE stats.schemaname = 'sundial' AND stats.tablename = leaf.relname
                   AND stats.attname = 'status';
        END IF;
    END LOOP;
END $$;

-- The schedule that every database has, everywhere under the same id.
INSERT INTO sundial.schedules VALUES (
    '01990000-0000-7000-8000-000000000001', 'birthday', 'BIRTHDAY', 2, true, NULL, 'dateOfBirth',
    current_setting('sundial.birthday_time')::time, NULL,
    '{"message":"Hey, {firstName} {lastName} it''s your birthday"}',
    'compatible', 'compatible', 'feb28', 1, 1, sundial.clock(), sundial.clock());

-- A table that was never analysed makes claims slow until the first autovacuum.
ANALYZE sundial.users, sundial.schedules, sundial.endpoints, sundial.events, sundial.event_history,
        sundial.event_keys, sundial.attempts, sundial.recorded_events, sundial.inbox_requests;
