-- Events for programs that speak SQL: functions that take part in the caller's transaction. Each is SECURITY DEFINER with a
-- fixed search_path, so a caller needs the right to call it and nothing else (`sundial db grant`). A refusal is an error of
-- SQLSTATE class SD: the message is the API's code, the detail its data as JSON, and the hint says it in words.

-- The number of shards never changes.
DO $$
BEGIN
    EXECUTE format('CREATE FUNCTION sundial.shards() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$ SELECT %s $f$',
                   (SELECT value::integer FROM sundial.settings WHERE name = 'shards'));
END $$;

CREATE FUNCTION sundial.refuse(state text, code text, data jsonb, words text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = code, DETAIL = data::text, HINT = words;
END $$;

-- A defect of one argument. Pointers are those of the API, so that one program can read both.
CREATE FUNCTION sundial.refuse_field(pointer text, code text, words text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'SD400', MESSAGE = 'VALIDATION_FAILED',
        DETAIL = jsonb_build_object('errors', jsonb_build_array(
                     jsonb_build_object('pointer', pointer, 'code', code, 'message', words)))::text,
        HINT = ltrim(pointer, '/') || ': ' || words;
END $$;

-- UUIDv7 with the milliseconds and 4096ths of a millisecond of its creation. The last byte of an event's id is the last byte
-- of its key's hash: so it carries its shard.
CREATE FUNCTION sundial.new_id(now timestamptz DEFAULT clock_timestamp(), last_byte integer DEFAULT NULL) RETURNS uuid
    LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
DECLARE
    micros CONSTANT bigint := (extract(epoch FROM now) * 1000000)::bigint;
    part   CONSTANT integer := (micros % 1000) * 4096 / 1000;
    bytes  bytea := overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(micros / 1000) FROM 3) FROM 1 FOR 6);
BEGIN
    bytes := set_byte(set_byte(bytes, 6, 112 + (part >> 8)), 7, part & 255);
    IF last_byte IS NOT NULL THEN
        bytes := set_byte(bytes, 15, last_byte);
    END IF;
    RETURN encode(bytes, 'hex')::uuid;
END $$;

CREATE FUNCTION sundial.shard_of(id uuid) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS 'SELECT (get_byte(uuid_send(id), 15) % sundial.shards())::smallint';

-- The caller, as the recorded event of a change names it.
CREATE FUNCTION sundial.sql_actor() RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'sql:' || session_user $$;

-- Requests of callers that only a server can complete, because they need the tz database or the rules of time. A server
-- checks for them once a tick, and after sundial.wake(). It does the work and removes the row in one transaction. A request
-- that it refuses stays, with the reason. Rows of one subject are numbered in the order in which their transactions commit,
-- because each transaction locks its subject before it draws a number.
CREATE TABLE sundial.intake (
    number    bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind      text        NOT NULL,
    subject   uuid        NOT NULL,
    data      jsonb       NOT NULL DEFAULT '{}',
    actor     text        NOT NULL,
    asked_at  timestamptz NOT NULL,
    done      boolean     NOT NULL DEFAULT false,  -- kept for the next step of its caller
    failed_at timestamptz,
    code      text,
    detail    text,
    CONSTRAINT intake_failures_have_a_reason CHECK (num_nulls(failed_at, code, detail) IN (0, 3))
);
CREATE INDEX intake_waiting ON sundial.intake (number) WHERE failed_at IS NULL AND NOT done;
CREATE INDEX intake_by_subject ON sundial.intake (subject);
ANALYZE sundial.intake;

CREATE FUNCTION sundial.ask_server(kind text, subject uuid, data jsonb DEFAULT '{}') RETURNS void LANGUAGE sql AS $$
    INSERT INTO sundial.intake (kind, subject, data, actor, asked_at)
    VALUES (kind, subject, data, sundial.sql_actor(), sundial.clock())
$$;

-- Whether servers may know the zone: they store the zones of their tz databases when they start. Before the first start the
-- table is empty, and the server judges later.
CREATE FUNCTION sundial.refuse_unknown_zone(pointer text, zone text) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF zone IS NULL THEN
        PERFORM sundial.refuse_field(pointer, 'required', 'must be an IANA time zone');
    ELSIF NOT EXISTS (SELECT FROM sundial.tz_fingerprints AS known WHERE known.zone = refuse_unknown_zone.zone)
          AND (EXISTS (SELECT FROM sundial.tz_fingerprints) OR zone !~ '^[A-Za-z0-9_+/-]{1,255}$') THEN
        PERFORM sundial.refuse_field(pointer, 'unknown_zone', quote_literal(zone) || ' is not an IANA time zone');
    END IF;
END $$;
CREATE INDEX tz_fingerprints_by_zone ON sundial.tz_fingerprints (zone);

-- Locks the endpoint against deletion. `pull` says whether its workers claim its events. Takes an id or ext: and an external
-- id, like the API; a text that is no id is an external id, too.
CREATE FUNCTION sundial.endpoint_to_use(reference text, is_subject boolean DEFAULT false, OUT id uuid, OUT pull boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF reference ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' THEN
        SELECT id, type = 'PULL' INTO endpoint_to_use.id, endpoint_to_use.pull
          FROM sundial.endpoints WHERE id = reference::uuid FOR KEY SHARE;
    ELSE
        SELECT id, type = 'PULL' INTO endpoint_to_use.id, endpoint_to_use.pull
          FROM sundial.endpoints
         WHERE external_id = CASE WHEN starts_with(reference, 'ext:') THEN substr(reference, 5) ELSE reference END
           FOR KEY SHARE;
    END IF;
    IF NOT FOUND AND is_subject THEN
        PERFORM sundial.refuse('SD404', 'ENDPOINT_NOT_FOUND', jsonb_build_object('id', reference), format('there is no endpoint %L', reference));
    ELSIF NOT FOUND THEN
        PERFORM sundial.refuse_field('/endpointId', 'not_allowed', format('there is no endpoint %L', reference));
    END IF;
END $$;

-- Stores one PENDING event under its key: what sundial.schedule_event and sundial.schedule_local share.
CREATE FUNCTION sundial.store_event(
    event_type text, due timestamptz, payload jsonb, endpoint text, user_ext text, idempotency_key text, priority text,
    wall timestamp, zone text, gap text, overlap text) RETURNS uuid
    LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    now         CONSTANT timestamptz := sundial.clock();
    body        CONSTANT text := payload::text;
    rank        CONSTANT integer := array_position('{CRITICAL,HIGH,NORMAL,LOW}'::text[], store_event.priority) - 1;
    key         CONSTANT text := coalesce(store_event.idempotency_key, 'event-' || replace(gen_random_uuid()::text, '-', ''));
    key_hash    integer;
    new_id      uuid;
    endpoint_of uuid;
    pulled      boolean := false;
    user_of     uuid;
    tries       integer;
    holder      uuid;
BEGIN
    IF store_event.event_type IS NULL OR store_event.event_type !~ '^[A-Za-z0-9_.-]{1,128}$' THEN
        PERFORM sundial.refuse_field('/eventType', CASE WHEN coalesce(store_event.event_type, '') = '' THEN 'required' ELSE 'bad_format' END,
                                     'must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -');
    ELSIF starts_with(store_event.event_type, 'sundial.') THEN
        PERFORM sundial.refuse_field('/eventType', 'not_allowed', 'types that begin with ''sundial.'' are Sundial''s own');
    ELSIF store_event.due IS NULL OR store_event.due = '-infinity' THEN
        PERFORM sundial.refuse_field(CASE WHEN zone = 'UTC' AND wall IS NULL THEN '/targetTimestampUTC' ELSE '/targetTimestampLocal' END,
                                     'required', 'must be a time');
    ELSIF store_event.due > now + interval '18263 days' OR store_event.due < '0001-01-01T00:00:00Z' THEN
        PERFORM sundial.refuse_field(CASE WHEN wall IS NULL THEN '/targetTimestampUTC' ELSE '/targetTimestampLocal' END,
                                     'out_of_range', 'must be at most 50 years from now, and not before the year 1');
    ELSIF body IS NULL THEN
        PERFORM sundial.refuse_field('/deliveryPayload', 'required', 'must be JSON');
    ELSIF octet_length(body) > 262144 THEN
        PERFORM sundial.refuse_field('/deliveryPayload', 'too_long',
                                     format('has %s bytes; at most 262144 are allowed', octet_length(body)));
    ELSIF key !~ '^[A-Za-z0-9_-]{1,128}$' THEN
        PERFORM sundial.refuse_field('/idempotencyKey', 'bad_format', 'must have 1 to 128 characters of A-Z, a-z, 0-9, _ and -');
    ELSIF rank IS NULL THEN
        PERFORM sundial.refuse_field('/priority', 'bad_format', 'must be CRITICAL, HIGH, NORMAL or LOW');
    END IF;
    IF endpoint IS NOT NULL THEN
        SELECT its.id, its.pull INTO endpoint_of, pulled FROM sundial.endpoint_to_use(endpoint) AS its;
    END IF;
    IF user_ext IS NOT NULL THEN
        SELECT id INTO user_of FROM sundial.users WHERE external_id = user_ext FOR SHARE;
        IF NOT FOUND THEN
            PERFORM sundial.refuse_field('/userId', 'not_allowed', format('there is no user with external id %L', user_ext));
        END IF;
    END IF;

    key_hash := get_byte(sha256(convert_to(key, 'UTF8')), 31);
    new_id := sundial.new_id(clock_timestamp(), key_hash);
    INSERT INTO sundial.event_keys AS known (shard, key, event_id, expires_at)
    VALUES ((key_hash % sundial.shards())::smallint, key, new_id, greatest(store_event.due, now) + interval '400 days')
    ON CONFLICT (shard, key) DO UPDATE
       SET event_id = excluded.event_id, free = false, expires_at = greatest(known.expires_at, excluded.expires_at)
     WHERE known.free
    RETURNING known.attempt INTO tries;
    IF NOT FOUND THEN
        SELECT event_id INTO holder FROM sundial.event_keys WHERE shard = (key_hash % sundial.shards())::smallint AND key = store_event.idempotency_key;
        PERFORM sundial.refuse('SD409', 'DUPLICATE_IDEMPOTENCY_KEY',
            jsonb_build_object('existingId', holder,
                'status', coalesce((SELECT status FROM sundial.v_events
                                     WHERE shard = sundial.shard_of(holder) AND id = holder LIMIT 1), 'COMPLETED')),
            format('idempotency key %s belongs to event %s', key, holder));
    END IF;
    INSERT INTO sundial.events
        (shard, id, status, priority, claimable_at, version, attempt, retry_count, due, idempotency_key, event_type,
         user_id, endpoint_id, wall, zone, gap, overlap, tz_release, payload, created_at, updated_at, pull)
    VALUES ((key_hash % sundial.shards())::smallint, new_id, 'PENDING', rank,
            CASE WHEN wall IS NULL THEN store_event.due ELSE 'infinity' END,
            1, tries, 0, store_event.due, key, store_event.event_type, user_of, endpoint_of,
            store_event.wall, store_event.zone, store_event.gap, store_event.overlap, '', body, now, now, pulled);
    RETURN new_id;
END $$;

CREATE FUNCTION sundial.schedule_event(
    event_type text, target_at timestamptz, payload jsonb DEFAULT '{}', endpoint text DEFAULT NULL,
    user_ext text DEFAULT NULL, idempotency_key text DEFAULT NULL, priority text DEFAULT 'NORMAL') RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN sundial.store_event(event_type, target_at, payload, endpoint, user_ext, idempotency_key, priority,
                               NULL, 'UTC', 'compatible', 'compatible');
END $$;

-- The server finds the instant with its own tz database. Until then the event is PENDING and parked, its release is empty,
-- and `due` is the local time read as UTC, so that lists have an order; everything that shows it says that it has no instant.
CREATE FUNCTION sundial.schedule_local(
    event_type text, local_time timestamp, timezone text, payload jsonb DEFAULT '{}', endpoint text DEFAULT NULL,
    user_ext text DEFAULT NULL, idempotency_key text DEFAULT NULL, priority text DEFAULT 'NORMAL',
    gap text DEFAULT 'compatible', overlap text DEFAULT 'compatible') RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    new_id uuid;
BEGIN
    IF local_time IS NOT NULL AND local_time > '-infinity' AND local_time < 'infinity' AND date_trunc('second', local_time) <> local_time THEN
        PERFORM sundial.refuse_field('/targetTimestampLocal', 'bad_time', 'has no fractions of a second');
    ELSIF gap IS NULL OR gap NOT IN ('compatible', 'earlier', 'later', 'boundary', 'skip', 'reject') THEN
        PERFORM sundial.refuse_field('/gap', 'bad_format', 'must be compatible, earlier, later, boundary, skip or reject');
    ELSIF overlap IS NULL OR overlap NOT IN ('compatible', 'earlier', 'later', 'skip', 'reject') THEN
        PERFORM sundial.refuse_field('/overlap', 'bad_format', 'must be compatible, earlier, later, skip or reject');
    END IF;
    PERFORM sundial.refuse_unknown_zone('/targetTimezone', timezone);
    new_id := sundial.store_event(event_type, local_time AT TIME ZONE 'UTC', payload, endpoint, user_ext, idempotency_key,
                                  priority, local_time, timezone, gap, overlap);
    PERFORM sundial.ask_server('EVENT', new_id);
    RETURN new_id;
END $$;

CREATE FUNCTION sundial.refuse_transition(event_id uuid, action text, status text, claimed_by uuid, version bigint)
    RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sundial.refuse('SD409', 'INVALID_STATE_TRANSITION',
        jsonb_build_object('status', status, 'claimedBy', claimed_by, 'version', version),
        format('event %s is %s%s: it cannot %s', event_id, status,
               CASE WHEN claimed_by IS NULL THEN '' ELSE ' and claimed' END, action));
END $$;

CREATE FUNCTION sundial.refuse_missing_event(event_id uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM sundial.refuse('SD404', 'EVENT_NOT_FOUND', jsonb_build_object('id', event_id), format('there is no event %s', event_id));
END $$;

-- True if this call cancels the event, false if it was cancelled before. A server plans the successor of an occurrence.
CREATE FUNCTION sundial.cancel_event(id uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    part     CONSTANT smallint := sundial.shard_of(cancel_event.id);
    event    sundial.events;
    ended    record;
    ended_at timestamptz;
BEGIN
    SELECT * INTO event FROM sundial.events WHERE shard = part AND id = cancel_event.id FOR UPDATE;
    IF NOT FOUND THEN
        SELECT status, version INTO ended FROM sundial.event_history WHERE shard = part AND id = cancel_event.id;
        IF NOT FOUND THEN
            PERFORM sundial.refuse_missing_event(cancel_event.id);
        ELSIF ended.status <> 'CANCELLED' THEN
            PERFORM sundial.refuse_transition(cancel_event.id, 'be cancelled', ended.status, NULL, ended.version);
        END IF;
        RETURN false;
    ELSIF event.claimed_by IS NOT NULL THEN
        PERFORM sundial.refuse_transition(cancel_event.id, 'be cancelled', event.status, event.claimed_by, event.version);
    END IF;
    ended_at := greatest(sundial.clock(), event.updated_at);
    DELETE FROM sundial.events WHERE shard = part AND id = event.id;
    INSERT INTO sundial.event_history
        (shard, id, status, priority, finished_at, reason, version, attempt, retry_count, due,
         idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
         wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
         updated_at, jitter, nominal_time, second_pass, origin)
    VALUES
        (part, event.id, 'CANCELLED', event.priority, ended_at, 'cancelled on request', event.version + 1,
         event.attempt, event.retry_count, event.due, event.idempotency_key, event.event_type, event.user_id,
         event.endpoint_id, event.schedule_id, event.schedule_version, event.nominal, event.wall, event.zone,
         event.gap, event.overlap, event.tz_release, event.payload, event.retry_of, event.first_attempt_at,
         event.created_at, ended_at, event.jitter, event.nominal_time, event.second_pass, event.origin);
    IF event.schedule_id IS NULL THEN  -- a new event may take the key over
        UPDATE sundial.event_keys SET free = true, attempt = event.attempt
         WHERE shard = sundial.shard_of_key(event.idempotency_key, sundial.shards())
           AND key = event.idempotency_key AND event_id = event.id;
    ELSIF event.origin = 'rule' THEN
        PERFORM sundial.ask_server('CHAIN', event.id);
    END IF;
    RETURN true;
END $$;

-- The id of the event that is delivered again: a new one for a FAILED event and for a cancelled occurrence of a schedule, the
-- same one for an event that waits for its retry, which then waits no longer.
CREATE FUNCTION sundial.retry_event(id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    now       CONSTANT timestamptz := sundial.clock();
    part      CONSTANT smallint := sundial.shard_of(retry_event.id);
    new_id    CONSTANT uuid := sundial.new_id(clock_timestamp(), get_byte(uuid_send(retry_event.id), 15));
    live      sundial.events;
    event     sundial.event_history;
    pulled    boolean := false;
    key_shard smallint;
    holder    uuid;
BEGIN
    -- A user cannot be deleted meanwhile: the retry would survive the deletion.
    PERFORM FROM sundial.users
      WHERE id = (SELECT user_id FROM sundial.v_events WHERE shard = part AND id = retry_event.id LIMIT 1) FOR SHARE;
    SELECT * INTO live FROM sundial.events WHERE shard = part AND id = retry_event.id FOR UPDATE;
    IF FOUND THEN
        IF live.status <> 'PROCESSING' OR live.claimed_by IS NOT NULL OR live.obstacle IS NOT NULL OR live.claimable_at = 'infinity' THEN
            PERFORM sundial.refuse_transition(live.id, 'be retried', live.status, live.claimed_by, live.version);
        END IF;
        UPDATE sundial.events SET claimable_at = now, version = version + 1, updated_at = now
         WHERE shard = part AND id = live.id AND claimable_at > now;
        RETURN live.id;
    END IF;
    SELECT * INTO event FROM sundial.event_history WHERE shard = part AND id = retry_event.id;
    IF NOT FOUND THEN
        PERFORM sundial.refuse_missing_event(retry_event.id);
    ELSIF event.status = 'COMPLETED' OR (event.status = 'CANCELLED' AND event.schedule_id IS NULL)
          OR (event.wall IS NOT NULL AND event.tz_release = '') THEN
        PERFORM sundial.refuse_transition(event.id, 'be retried', event.status, NULL, event.version);
    END IF;
    IF event.endpoint_id IS NOT NULL THEN
        SELECT type = 'PULL' INTO pulled FROM sundial.endpoints WHERE id = event.endpoint_id FOR KEY SHARE;
        IF NOT FOUND THEN
            PERFORM sundial.refuse('SD404', 'ENDPOINT_NOT_FOUND', jsonb_build_object('id', event.endpoint_id),
                                   format('endpoint %s was deleted', event.endpoint_id));
        END IF;
    END IF;
    key_shard := sundial.shard_of_key(event.idempotency_key, sundial.shards());
    INSERT INTO sundial.event_keys (shard, key, event_id, expires_at)
    VALUES (key_shard, event.idempotency_key, new_id, greatest(event.due, now) + interval '400 days')
    ON CONFLICT (shard, key) DO UPDATE SET event_id = excluded.event_id, expires_at = excluded.expires_at, free = false
     WHERE event_keys.event_id = retry_event.id;
    IF NOT FOUND THEN
        SELECT event_id INTO holder FROM sundial.event_keys WHERE shard = key_shard AND key = event.idempotency_key;
        PERFORM sundial.refuse('SD409', 'DUPLICATE_IDEMPOTENCY_KEY',
            jsonb_build_object('existingId', holder,
                'status', coalesce((SELECT status FROM sundial.v_events
                                     WHERE shard = sundial.shard_of(holder) AND id = holder LIMIT 1), 'COMPLETED')),
            format('idempotency key %s belongs to event %s', event.idempotency_key, holder));
    END IF;
    INSERT INTO sundial.events
        (shard, id, status, priority, claimable_at, version, attempt, retry_count, due, idempotency_key, event_type,
         user_id, endpoint_id, schedule_id, schedule_version, nominal, wall, zone, gap, overlap, tz_release, payload,
         retry_of, created_at, updated_at, jitter, nominal_time, second_pass, origin, pull)
    VALUES (part, new_id, 'PENDING', event.priority, greatest(now, event.due + event.jitter), 1, event.attempt, 0,
            event.due, event.idempotency_key, event.event_type, event.user_id, event.endpoint_id, event.schedule_id,
            event.schedule_version, event.nominal, event.wall, event.zone, event.gap, event.overlap, event.tz_release,
            event.payload, event.id, now, now, event.jitter, event.nominal_time, event.second_pass, event.origin, pulled);
    UPDATE sundial.event_history SET dismissed_at = now, version = version + 1, updated_at = now
     WHERE shard = part AND id = event.id AND status = 'FAILED' AND dismissed_at IS NULL;
    RETURN new_id;
END $$;

-- Functions for locks are of the same kind.
ALTER FUNCTION sundial.try_lock(text, text, interval) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION sundial.unlock(text, text) SECURITY DEFINER SET search_path = pg_catalog, pg_temp;

-- target: null until a server has found the instant of a local time.
CREATE OR REPLACE VIEW sundial.v_events AS
    SELECT shard, id, status, priority,
           CASE WHEN claimed_by IS NULL THEN claimable_at ELSE lease_ends END AS claimable_at,
           claimed_by, worker,
           NULL::timestamptz AS finished_at, NULL::text AS reason, NULL::timestamptz AS dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, NULL::timestamptz AS executed_at,
           first_attempt_at - due - jitter AS lateness, obstacle,
           CASE WHEN claimed_by IS NOT NULL THEN NULL
                WHEN obstacle IS NOT NULL THEN obstacle
                WHEN wall IS NOT NULL AND tz_release = '' THEN NULL
                WHEN claimable_at = 'infinity'
                THEN CASE status WHEN 'PENDING' THEN 'SCHEDULE' ELSE 'ENDPOINT' END
                WHEN status = 'PROCESSING' THEN 'RETRY' END AS waiting_for,
           CASE WHEN wall IS NULL OR tz_release <> '' THEN due END AS target
      FROM sundial.events
    UNION ALL
    SELECT shard, id, status, priority, 'infinity', NULL, NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, CASE WHEN status <> 'CANCELLED' THEN finished_at END,
           first_attempt_at - due - jitter, NULL, NULL,
           CASE WHEN wall IS NULL OR tz_release <> '' THEN due END
      FROM sundial.event_history;
