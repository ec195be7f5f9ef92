-- Users and schedules for programs that speak SQL. The row of a user is written here, with its recorded event; a server plans
-- the user's events. A schedule is created by a server, which knows its rule.

-- One recorded event of a control-plane object, whose row is the head of its stream (concurrency 1). Like every append, it
-- holds the feed's lock from before its position is drawn until the transaction ends.
CREATE FUNCTION sundial.record_change(aggregate_type text, aggregate_id uuid, version bigint, event_type text, data jsonb)
    RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    id CONSTANT text := aggregate_id::text;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1398097478, hashtext(aggregate_type || '/' || id) & 15);
    INSERT INTO sundial.streams AS stream (aggregate_type, aggregate_id, version)
    VALUES (record_change.aggregate_type, id, record_change.version)
    ON CONFLICT ON CONSTRAINT streams_pkey DO UPDATE SET version = excluded.version;
    INSERT INTO sundial.recorded_events
        (aggregate_type, aggregate_id, version, event_id, event_type, data, correlation_id, recorded_at, actor)
    VALUES (record_change.aggregate_type, id, record_change.version, sundial.new_id(), record_change.event_type,
            record_change.data::text, 'sql-' || pg_current_xact_id(), sundial.clock(), sundial.sql_actor());
END $$;

CREATE FUNCTION sundial.refuse_text(pointer text, value text, most integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF value IS NULL OR value ~ '^[\s\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]*$' THEN
        PERFORM sundial.refuse_field(pointer, 'required', format('must have 1 to %s characters, not only blanks', most));
    ELSIF value ~ '[\u0001-\u001f\u007f-\u009f]' THEN
        PERFORM sundial.refuse_field(pointer, 'bad_format', 'must not contain control characters such as line breaks or tabs');
    ELSIF char_length(value) > most THEN
        PERFORM sundial.refuse_field(pointer, 'too_long', format('has %s characters; must have 1 to %s characters', char_length(value), most));
    END IF;
END $$;

-- The date in the zone, by this server's tz database; where that does not know the zone, the latest date of any zone.
CREATE FUNCTION sundial.today_in(zone text) RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (sundial.clock() AT TIME ZONE zone)::date;
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN (sundial.clock() AT TIME ZONE 'UTC' + interval '14 hours')::date;
END $$;

-- Further dates (name -> YYYY-MM-DD) and metadata (name -> text), by the rules of the API.
CREATE FUNCTION sundial.refuse_members(pointer text, object jsonb, are_dates boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    member record;
BEGIN
    IF jsonb_typeof(object) <> 'object' THEN
        PERFORM sundial.refuse_field(pointer, 'wrong_type', 'must be an object');
    ELSIF (SELECT count(*) FROM jsonb_object_keys(object)) > 50 THEN
        PERFORM sundial.refuse_field(pointer, 'out_of_range', 'at most 50 members are allowed');
    END IF;
    FOR member IN SELECT key, value, value #>> '{}' AS text FROM jsonb_each(object) LOOP
        IF member.key !~ '^[A-Za-z0-9_]{1,64}$' THEN
            PERFORM sundial.refuse_field(pointer || '/' || member.key, 'bad_format', 'names have 1 to 64 characters of A-Z, a-z, 0-9 and _');
        ELSIF jsonb_typeof(member.value) <> 'string' THEN
            PERFORM sundial.refuse_field(pointer || '/' || member.key, 'wrong_type', 'must be a text');
        ELSIF NOT are_dates AND char_length(member.text) > 1000 THEN
            PERFORM sundial.refuse_field(pointer || '/' || member.key, 'too_long', 'at most 1000 characters are allowed');
        ELSIF are_dates AND member.key = 'dateOfBirth' THEN
            PERFORM sundial.refuse_field(pointer || '/' || member.key, 'not_allowed', 'the birth date is given as date_of_birth itself');
        ELSIF are_dates THEN
            BEGIN
                IF member.text !~ '^\d{4}-\d{2}-\d{2}$' OR member.text::date < '0001-01-01' THEN
                    RAISE datetime_field_overflow;
                END IF;
            EXCEPTION WHEN data_exception THEN
                PERFORM sundial.refuse_field(pointer || '/' || member.key, 'bad_time', 'must be a day that the calendar has, as YYYY-MM-DD');
            END;
        END IF;
    END LOOP;
END $$;

-- As the recorded events of the API name a user's members.
CREATE FUNCTION sundial.members_of_user(its sundial.users) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object('externalId', its.external_id, 'firstName', its.first_name, 'lastName', its.last_name,
                              'dateOfBirth', to_char(its.date_of_birth, 'YYYY-MM-DD'), 'timezone', its.timezone,
                              'dates', its.dates, 'metadata', its.metadata)
$$;

-- Creates the user of an external id, or replaces the given values. Dates and metadata that are not given stay.
CREATE FUNCTION sundial.upsert_user(
    external_id text, first_name text, last_name text, date_of_birth date, timezone text,
    dates jsonb DEFAULT NULL, metadata jsonb DEFAULT NULL) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    now    CONSTANT timestamptz := sundial.clock();
    before sundial.users;
    after  sundial.users;
BEGIN
    PERFORM sundial.refuse_text('/externalId', upsert_user.external_id, 128);
    PERFORM sundial.refuse_text('/firstName', upsert_user.first_name, 255);
    PERFORM sundial.refuse_text('/lastName', upsert_user.last_name, 255);
    PERFORM sundial.refuse_unknown_zone('/timezone', upsert_user.timezone);
    IF upsert_user.date_of_birth IS NULL OR upsert_user.date_of_birth NOT BETWEEN '0001-01-01' AND '9999-12-31' THEN
        PERFORM sundial.refuse_field('/dateOfBirth', 'out_of_range', 'must be in the years 0001 to 9999');
    ELSIF upsert_user.date_of_birth >= sundial.today_in(upsert_user.timezone) THEN
        PERFORM sundial.refuse_field('/dateOfBirth', 'out_of_range', 'must be before today in the user''s time zone');
    END IF;
    IF upsert_user.dates IS NOT NULL THEN PERFORM sundial.refuse_members('/dates', upsert_user.dates, true); END IF;
    IF upsert_user.metadata IS NOT NULL THEN PERFORM sundial.refuse_members('/metadata', upsert_user.metadata, false); END IF;

    LOOP
        SELECT * INTO before FROM sundial.users WHERE external_id = upsert_user.external_id FOR UPDATE;
        EXIT WHEN FOUND;
        after := ROW(sundial.new_id(), upsert_user.external_id, upsert_user.first_name, upsert_user.last_name,
                     upsert_user.date_of_birth, upsert_user.timezone, coalesce(upsert_user.dates, '{}'),
                     coalesce(upsert_user.metadata, '{}'), 1, now, now);
        INSERT INTO sundial.users SELECT after.* ON CONFLICT (external_id) DO NOTHING;
        IF FOUND THEN
            PERFORM sundial.record_change('User', after.id, 1, 'UserCreated', sundial.members_of_user(after));
            PERFORM sundial.ask_server('USER', after.id);
            RETURN after.id;
        END IF;
    END LOOP;

    after := before;
    after.first_name := upsert_user.first_name;
    after.last_name := upsert_user.last_name;
    after.date_of_birth := upsert_user.date_of_birth;
    after.timezone := upsert_user.timezone;
    after.dates := coalesce(upsert_user.dates, before.dates);
    after.metadata := coalesce(upsert_user.metadata, before.metadata);
    IF after IS NOT DISTINCT FROM before THEN
        RETURN before.id;
    END IF;
    after.version := before.version + 1;
    after.updated_at := now;
    UPDATE sundial.users
       SET first_name = after.first_name, last_name = after.last_name, date_of_birth = after.date_of_birth,
           timezone = after.timezone, dates = after.dates, metadata = after.metadata,
           version = after.version, updated_at = after.updated_at
     WHERE id = before.id;
    PERFORM sundial.record_change('User', before.id, after.version, 'UserUpdated',
        (SELECT jsonb_object_agg(key, value) FROM jsonb_each(sundial.members_of_user(after))
          WHERE value IS DISTINCT FROM sundial.members_of_user(before) -> key));
    -- A request that still waits, or that a server could not do, has the state before all changes.
    UPDATE sundial.intake SET failed_at = NULL, code = NULL, detail = NULL WHERE subject = before.id AND kind = 'USER';
    IF NOT FOUND THEN
        PERFORM sundial.ask_server('USER', before.id, jsonb_build_object('before', jsonb_build_object(
            'timezone', before.timezone, 'dateOfBirth', to_char(before.date_of_birth, 'YYYY-MM-DD'), 'dates', before.dates)));
    END IF;
    RETURN before.id;
END $$;

-- Deletes the user with all events that are not claimed. False if there is none.
CREATE FUNCTION sundial.delete_user(external_id text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    gone  sundial.users;
    place record;
BEGIN
    SELECT * INTO gone FROM sundial.users WHERE external_id = delete_user.external_id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    FOR place IN SELECT shard, id FROM sundial.events WHERE user_id = gone.id ORDER BY id LOOP
        PERFORM FROM sundial.events WHERE shard = place.shard AND id = place.id FOR UPDATE;
        DELETE FROM sundial.events WHERE shard = place.shard AND id = place.id AND claimed_by IS NULL;
        IF FOUND THEN
            DELETE FROM sundial.attempts WHERE shard = place.shard AND event_id = place.id;
            DELETE FROM sundial.event_moves WHERE shard = place.shard AND event_id = place.id;
        ELSE
            UPDATE sundial.events SET user_id = NULL WHERE shard = place.shard AND id = place.id;
        END IF;
    END LOOP;
    FOR place IN DELETE FROM sundial.event_history WHERE user_id = gone.id RETURNING shard, id LOOP
        DELETE FROM sundial.attempts WHERE shard = place.shard AND event_id = place.id;
        DELETE FROM sundial.event_moves WHERE shard = place.shard AND event_id = place.id;
    END LOOP;
    PERFORM sundial.record_change('User', gone.id, gone.version + 1, 'UserDeleted', '{}');
    DELETE FROM sundial.skipped_runs WHERE user_id = gone.id;
    UPDATE sundial.recorded_events SET data = NULL, headers = '' WHERE aggregate_type = 'User' AND aggregate_id = gone.id::text;
    DELETE FROM sundial.snapshots WHERE aggregate_type = 'User' AND aggregate_id = gone.id::text;
    UPDATE sundial.streams SET deleted_at = sundial.clock() WHERE aggregate_type = 'User' AND aggregate_id = gone.id::text;
    DELETE FROM sundial.users WHERE id = gone.id;
    RETURN true;
END $$;

-- However a user is deleted.
CREATE FUNCTION sundial.forget_requests_for_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM sundial.intake WHERE subject = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER users_leave_no_requests AFTER DELETE ON sundial.users
    FOR EACH ROW EXECUTE FUNCTION sundial.forget_requests_for_user();

-- Stores a request for a schedule in the form of the API (POST /v1/schedules). Defects that show without the rules of time
-- are refused here; sundial.v_intake shows those that a server finds. The same name replaces the schedule.
CREATE FUNCTION sundial.store_schedule(name text, schedule jsonb) RETURNS uuid LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
    unknown text;
    given   text;
    id      uuid;
    pair    record;
BEGIN
    PERFORM sundial.refuse_text('/externalId', name, 128);
    IF jsonb_typeof(schedule) IS DISTINCT FROM 'object' THEN
        PERFORM sundial.refuse_field('', 'wrong_type', 'must be an object');
    END IF;
    SELECT min(key) INTO unknown FROM jsonb_object_keys(schedule) AS key
     WHERE key NOT IN ('eventType', 'priority', 'enabled', 'note', 'trigger', 'perUser', 'timezone', 'endpointId', 'payload',
                       'gap', 'overlap', 'leap', 'misfire', 'window', 'grace', 'limit', 'concurrency', 'jitter', 'startsAt',
                       'endsAt');
    IF unknown IS NOT NULL THEN
        PERFORM sundial.refuse_field('/' || unknown, 'unknown_member', 'is no member of a schedule');
    END IF;
    FOR pair IN SELECT * FROM (VALUES
            ('priority', '{CRITICAL,HIGH,NORMAL,LOW}'::text[]),
            ('gap', '{compatible,earlier,later,boundary,skip}'),
            ('overlap', '{compatible,earlier,later,both,skip}'),
            ('leap', '{feb28,mar1,skip}'), ('misfire', '{all,once,skip}'), ('concurrency', '{allow,forbid}')) AS one(member, allowed) LOOP
        given := schedule ->> pair.member;
        IF given IS NOT NULL AND given <> ALL (pair.allowed) THEN
            PERFORM sundial.refuse_field('/' || pair.member, 'bad_format', 'must be one of ' || array_to_string(pair.allowed, ', '));
        END IF;
    END LOOP;
    FOR pair IN SELECT * FROM (VALUES ('enabled', 'boolean'), ('perUser', 'boolean'), ('limit', 'number'), ('trigger', 'object')) AS one(member, kind) LOOP
        IF jsonb_typeof(schedule -> pair.member) NOT IN (pair.kind, 'null') THEN
            PERFORM sundial.refuse_field('/' || pair.member, 'wrong_type', 'must be of type ' || pair.kind);
        END IF;
    END LOOP;
    IF schedule ? 'limit' AND schedule ->> 'limit' !~ '^\d{1,9}$' THEN
        PERFORM sundial.refuse_field('/limit', 'out_of_range', 'must be a whole number');
    ELSIF coalesce(schedule ->> 'eventType', name) !~ '^[A-Za-z0-9_.-]{1,128}$' OR starts_with(coalesce(schedule ->> 'eventType', name), 'sundial.') THEN
        PERFORM sundial.refuse_field('/eventType', 'bad_format', 'must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -, and not begin with sundial.');
    ELSIF coalesce(jsonb_typeof(schedule -> 'trigger'), 'null') = 'null' THEN
        PERFORM sundial.refuse_field('/trigger', 'required', 'must be one of yearly, cron, rrule and every');
    ELSIF (SELECT count(*) FROM jsonb_object_keys(schedule -> 'trigger') AS key WHERE key IN ('yearly', 'cron', 'rrule', 'every')) <> 1
          OR (SELECT count(*) FROM jsonb_object_keys(schedule -> 'trigger')) <> 1 THEN
        PERFORM sundial.refuse_field('/trigger', 'bad_format', 'must be exactly one of yearly, cron, rrule and every');
    ELSIF schedule -> 'trigger' ->> 'cron' IS NOT NULL AND schedule -> 'trigger' ->> 'cron' !~ '^\s*(@[a-z]+|\S+(\s+\S+){4,5})\s*$' THEN
        PERFORM sundial.refuse_field('/trigger/cron', 'bad_cron', 'must have 5 fields, 6 with seconds, or be a name such as @daily');
    ELSIF coalesce(jsonb_typeof(schedule -> 'trigger' -> 'rrule' -> 'rdate'), 'array') <> 'array'
          OR coalesce(jsonb_typeof(schedule -> 'trigger' -> 'rrule' -> 'exdate'), 'array') <> 'array' THEN
        PERFORM sundial.refuse_field('/trigger/rrule', 'wrong_type', 'rdate and exdate must be arrays');
    ELSIF octet_length((schedule -> 'payload')::text) > 262144 THEN
        PERFORM sundial.refuse_field('/payload', 'too_long', 'at most 262144 bytes are allowed');
    END IF;
    IF schedule ->> 'timezone' IS NOT NULL THEN
        PERFORM sundial.refuse_unknown_zone('/timezone', schedule ->> 'timezone');
    END IF;
    IF schedule ->> 'endpointId' IS NOT NULL THEN
        id := (sundial.endpoint_to_use(schedule ->> 'endpointId')).id;
        schedule := schedule || jsonb_build_object('endpointId', id);
    END IF;
    -- Requests for one name are numbered in the order of their commits.
    PERFORM pg_advisory_xact_lock(1398099529, hashtext(name));
    id := coalesce((SELECT its.id FROM sundial.schedules AS its WHERE its.external_id = name),
                   (SELECT waiting.subject FROM sundial.intake AS waiting
                     WHERE waiting.kind = 'SCHEDULE' AND waiting.data ->> 'name' = name AND waiting.failed_at IS NULL
                     ORDER BY waiting.number DESC LIMIT 1),
                   sundial.new_id());
    DELETE FROM sundial.intake AS old WHERE old.kind = 'SCHEDULE' AND old.data ->> 'name' = name AND old.failed_at IS NOT NULL;
    PERFORM sundial.ask_server('SCHEDULE', id, jsonb_build_object('eventType', name, 'perUser', false) || schedule || jsonb_build_object('name', name));
    RETURN id;
END $$;

CREATE FUNCTION sundial.schedule_rule(name text, schedule jsonb) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN sundial.store_schedule(name, schedule);
END $$;

CREATE FUNCTION sundial.schedule_cron(
    name text, cron text, payload jsonb DEFAULT '{}', timezone text DEFAULT 'UTC', endpoint text DEFAULT NULL,
    gap text DEFAULT NULL, overlap text DEFAULT NULL, misfire text DEFAULT NULL) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF cron IS NULL THEN
        PERFORM sundial.refuse_field('/trigger/cron', 'required', 'must be a cron expression');
    END IF;
    RETURN sundial.store_schedule(name, jsonb_strip_nulls(jsonb_build_object(
        'trigger', jsonb_build_object('cron', cron), 'timezone', timezone, 'endpointId', endpoint,
        'gap', gap, 'overlap', overlap, 'misfire', misfire)) || jsonb_build_object('payload', coalesce(payload, '{}')));
END $$;

-- Removes the schedule of that name with its waiting events. False if there is none.
CREATE FUNCTION sundial.unschedule(name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    id   uuid;
    last record;
BEGIN
    PERFORM pg_advisory_xact_lock(1398099529, hashtext(unschedule.name));
    SELECT waiting.kind, waiting.subject INTO last FROM sundial.intake AS waiting
     WHERE waiting.kind IN ('SCHEDULE', 'UNSCHEDULE') AND waiting.data ->> 'name' = unschedule.name AND waiting.failed_at IS NULL
     ORDER BY waiting.number DESC LIMIT 1;
    IF FOUND THEN
        IF last.kind = 'UNSCHEDULE' THEN RETURN false; END IF;
        id := last.subject;
    ELSE
        SELECT its.id INTO id FROM sundial.schedules AS its WHERE its.external_id = unschedule.name;
    END IF;
    IF id IS NULL THEN RETURN false; END IF;
    PERFORM sundial.ask_server('UNSCHEDULE', id, jsonb_build_object('name', unschedule.name));
    RETURN true;
END $$;
