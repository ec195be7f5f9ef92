-- The database guards itself: it refuses rows that the API would never write, and ends the events of a deleted user, however
-- the user is deleted. The bounds are those of the API, so no row that it accepted breaks one. A row that plain SQL wrote
-- may: then this migration fails and changes nothing. That a date of birth is in the past is checked by the API only,
-- because it depends on the user's zone and on the clock. The history has no checks: its rows were live events before.
--
-- SQLite adds a CHECK to a table only together with a column. `guard` is that column: virtual, so it takes no space and no
-- row is rewritten. A rebuild of `events` would write every row and every index entry again, and triggers would make
-- each insert of an event slower. For the same reason `events` has no bounds of its type and its key: with
-- them, creates in batches took 4.6 % more CPU (five pairs).
ALTER TABLE users ADD COLUMN guard INTEGER AS (1) VIRTUAL
    CONSTRAINT users_names_are_bounded
        CHECK (length(first_name) BETWEEN 1 AND 255 AND length(last_name) BETWEEN 1 AND 255)
    CONSTRAINT users_external_ids_are_bounded CHECK (length(external_id) BETWEEN 1 AND 128)
    CONSTRAINT users_zones_are_bounded CHECK (length(timezone) BETWEEN 1 AND 255)
    CONSTRAINT users_birth_dates_exist CHECK (date(date_of_birth, '+0 days') IS date_of_birth)
    CONSTRAINT users_birth_years_are_bounded CHECK (date_of_birth BETWEEN '0001-01-01' AND '9999-12-31')
    CONSTRAINT users_versions_are_positive CHECK (version >= 1);
ALTER TABLE schedules ADD COLUMN guard INTEGER AS (1) VIRTUAL
    CONSTRAINT schedules_types_are_bounded CHECK (length(event_type) BETWEEN 1 AND 128)
    CONSTRAINT schedules_external_ids_are_bounded CHECK (length(external_id) BETWEEN 1 AND 128)
    CONSTRAINT schedules_zones_are_bounded CHECK (length(timezone) BETWEEN 1 AND 255)
    CONSTRAINT schedules_versions_are_positive CHECK (version >= 1);
ALTER TABLE endpoints ADD COLUMN guard INTEGER AS (1) VIRTUAL
    CONSTRAINT endpoints_names_are_bounded CHECK (length(name) BETWEEN 1 AND 255)
    CONSTRAINT endpoints_external_ids_are_bounded CHECK (length(external_id) BETWEEN 1 AND 128)
    CONSTRAINT endpoints_versions_are_positive CHECK (version >= 1);
ALTER TABLE events ADD COLUMN guard INTEGER AS (1) VIRTUAL
    CONSTRAINT events_zones_are_bounded CHECK (length(zone) BETWEEN 1 AND 255)
    CONSTRAINT events_attempts_are_counted CHECK (attempt >= 0 AND retry_count >= 0)
    CONSTRAINT events_versions_are_positive CHECK (version >= 1)
    CONSTRAINT events_years_are_bounded CHECK (due BETWEEN -62135596800000000 AND 253402300799999999);

-- Ends the live events of a deleted user as DELETE /v1/users/{id}?history=keep does: events that are not claimed are
-- CANCELLED, and claimed ones are delivered without their user. After a deletion by the API it finds no event.
CREATE TRIGGER users_end_their_events AFTER DELETE ON users
WHEN EXISTS (SELECT 1 FROM events WHERE user_id = OLD.id)
BEGIN
    INSERT INTO event_history
        (id, status, priority, finished_at, reason, version, attempt, retry_count, due, jitter, first_attempt_at,
         created_at, updated_at, idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version,
         nominal, nominal_time, second_pass, origin, wall, zone, gap, overlap, tz_release, retry_of, payload)
    SELECT id, 'CANCELLED', priority, max(updated_at, clock.now), 'user deleted', version + 1, attempt, retry_count, due,
           jitter, first_attempt_at, created_at, max(updated_at, clock.now), idempotency_key, event_type, NULL,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin, wall, zone, gap,
           overlap, tz_release, retry_of, payload
      FROM events,
           (SELECT CASE (SELECT value FROM settings WHERE name = 'clock')
                   WHEN 'test' THEN stored.value
                   ELSE max(stored.value, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000)
                   END AS now
              FROM settings AS stored WHERE stored.name = 'time') AS clock
     WHERE user_id = OLD.id AND claimed_by IS NULL;
    -- A new event may take over the key of an event that is no occurrence.
    UPDATE event_keys
       SET free = 1, attempt = (SELECT attempt FROM events WHERE id = event_keys.event_id)
     WHERE key IN (SELECT idempotency_key FROM events
                    WHERE user_id = OLD.id AND claimed_by IS NULL AND schedule_id IS NULL)
       AND event_id IN (SELECT id FROM events WHERE user_id = OLD.id);
    UPDATE event_counts
       SET rows = rows + (SELECT coalesce(sum(CASE event_counts.standing
                                              WHEN 'CANCELLED' THEN 1
                                              WHEN iif(status = 'PENDING', 'PENDING', 'WAITING') ||
                                                   iif(claimable_at = 9223372036854775807, '_PARKED', '') THEN -1
                                              ELSE 0 END), 0)
                            FROM events WHERE user_id = OLD.id AND claimed_by IS NULL);
    DELETE FROM events WHERE user_id = OLD.id AND claimed_by IS NULL;
    UPDATE events SET user_id = NULL WHERE user_id = OLD.id;
END;
