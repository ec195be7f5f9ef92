-- The database guards itself: it refuses rows that the API would never write, and ends the events of a deleted user, however
-- the user is deleted. The bounds are those of the API, so no row that it accepted breaks one. A row that plain SQL wrote
-- may: then this migration fails, names the constraint and changes nothing. That a date of birth is in the past is checked
-- by the API only, because it depends on the user's zone and on the clock. The history has no checks: its rows were live
-- events before.
ALTER TABLE sundial.users
    ADD CONSTRAINT users_names_are_bounded
        CHECK (char_length(first_name) BETWEEN 1 AND 255 AND char_length(last_name) BETWEEN 1 AND 255),
    ADD CONSTRAINT users_external_ids_are_bounded CHECK (char_length(external_id) BETWEEN 1 AND 128),
    ADD CONSTRAINT users_zones_are_bounded CHECK (char_length(timezone) BETWEEN 1 AND 255),
    ADD CONSTRAINT users_birth_years_are_bounded CHECK (date_of_birth BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT users_versions_are_positive CHECK (version >= 1);
ALTER TABLE sundial.schedules
    ADD CONSTRAINT schedules_types_are_bounded CHECK (char_length(event_type) BETWEEN 1 AND 128),
    ADD CONSTRAINT schedules_external_ids_are_bounded CHECK (char_length(external_id) BETWEEN 1 AND 128),
    ADD CONSTRAINT schedules_zones_are_bounded CHECK (char_length(timezone) BETWEEN 1 AND 255),
    ADD CONSTRAINT schedules_versions_are_positive CHECK (version >= 1);
ALTER TABLE sundial.endpoints
    ADD CONSTRAINT endpoints_names_are_bounded CHECK (char_length(name) BETWEEN 1 AND 255),
    ADD CONSTRAINT endpoints_external_ids_are_bounded CHECK (char_length(external_id) BETWEEN 1 AND 128),
    ADD CONSTRAINT endpoints_versions_are_positive CHECK (version >= 1);
ALTER TABLE sundial.events
    ADD CONSTRAINT events_zones_are_bounded CHECK (char_length(zone) BETWEEN 1 AND 255),
    ADD CONSTRAINT events_attempts_are_counted CHECK (attempt >= 0 AND retry_count >= 0),
    ADD CONSTRAINT events_versions_are_positive CHECK (version >= 1),
    ADD CONSTRAINT events_years_are_bounded
        CHECK (due >= '0001-01-01T00:00:00Z' AND due < '10000-01-01T00:00:00Z');

-- Ends the live events of a deleted user as DELETE /v1/users/{id}?history=keep does: events that are not claimed are
-- CANCELLED, and claimed ones are delivered without their user. After a deletion by the API it finds no event. Rows are
-- locked in the order in which the API locks them. Each statement after the first names the one shard that it touches, and
-- none has an INSERT in a CTE or a lock over several shards, so the trigger works where events are distributed by shard.
CREATE FUNCTION sundial.end_events_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    now       CONSTANT timestamptz := sundial.clock();
    place     record;
    event     sundial.events;
    ended_at  timestamptz;
    key_shard smallint;
BEGIN
    FOR place IN SELECT shard, id FROM sundial.events WHERE user_id = OLD.id ORDER BY id LOOP
        SELECT * INTO event FROM sundial.events WHERE shard = place.shard AND id = place.id FOR UPDATE;
        IF NOT FOUND THEN
            CONTINUE;  -- finished meanwhile
        ELSIF event.claimed_by IS NOT NULL THEN
            UPDATE sundial.events SET user_id = NULL WHERE shard = place.shard AND id = place.id;
            CONTINUE;
        END IF;
        DELETE FROM sundial.events WHERE shard = place.shard AND id = place.id;
        ended_at := greatest(now, event.updated_at);
        INSERT INTO sundial.event_history
            (shard, id, status, priority, finished_at, reason, version, attempt, retry_count, due,
             idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
             wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
             updated_at, jitter, nominal_time, second_pass, origin)
        VALUES
            (event.shard, event.id, 'CANCELLED', event.priority, ended_at, 'user deleted', event.version + 1,
             event.attempt, event.retry_count, event.due, event.idempotency_key, event.event_type, NULL,
             event.endpoint_id, event.schedule_id, event.schedule_version, event.nominal, event.wall, event.zone,
             event.gap, event.overlap, event.tz_release, event.payload, event.retry_of, event.first_attempt_at,
             event.created_at, ended_at, event.jitter, event.nominal_time, event.second_pass, event.origin);
        IF event.schedule_id IS NULL THEN  -- a new event may take the key over
            key_shard := sundial.shard_of_key(
                event.idempotency_key, (SELECT value::integer FROM sundial.settings WHERE name = 'shards'));
            UPDATE sundial.event_keys SET free = true, attempt = event.attempt
             WHERE shard = key_shard AND key = event.idempotency_key AND event_id = event.id;
        END IF;
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER users_end_their_events AFTER DELETE ON sundial.users
    FOR EACH ROW EXECUTE FUNCTION sundial.end_events_of_user();

-- TRUNCATE fires no trigger for each row.
CREATE FUNCTION sundial.refuse_truncate_of_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'TRUNCATE of sundial.users would leave the live events of users behind'
        USING HINT = 'DELETE FROM sundial.users ends them.';
END $$;
CREATE TRIGGER users_are_deleted_one_by_one BEFORE TRUNCATE ON sundial.users
    EXECUTE FUNCTION sundial.refuse_truncate_of_users();
