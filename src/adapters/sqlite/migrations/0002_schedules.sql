-- Schedules of every kind, the identity of every kind of occurrence, and what did not fire.

-- Rebuilt, since SQLite cannot take NOT NULL from a column.
ALTER TABLE schedules RENAME TO schedules_before;
CREATE TABLE schedules (
    id              BLOB    NOT NULL PRIMARY KEY,
    external_id     TEXT    UNIQUE,
    event_type      TEXT    NOT NULL,
    priority        INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
    enabled         INTEGER NOT NULL,
    note            TEXT,
    kind            TEXT    NOT NULL CHECK (kind IN ('yearly', 'cron', 'rrule', 'every')),
    yearly_on       TEXT,  -- dateOfBirth, a name of users.dates, or MM-DD
    yearly_at       TEXT,  -- HH:MM[:SS]
    cron            TEXT,
    ical            TEXT,  -- an RRULE as iCalendar text; or by its parts:
    dtstart         TEXT,
    rrule           TEXT,
    rdates          TEXT   NOT NULL,  -- JSON: ["…"]
    exdates         TEXT   NOT NULL,
    every           INTEGER,  -- seconds, as all durations here
    per_user        INTEGER NOT NULL,
    timezone        TEXT,  -- of what does not run for each user
    endpoint_id     BLOB,
    payload         TEXT    NOT NULL,  -- JSON template
    gap             TEXT    NOT NULL,
    overlap         TEXT    NOT NULL,
    leap            TEXT    NOT NULL,
    misfire         TEXT    NOT NULL,
    misfire_window  INTEGER,
    misfire_grace   INTEGER NOT NULL,
    misfire_limit   INTEGER NOT NULL,
    concurrency     TEXT    NOT NULL,
    jitter          INTEGER NOT NULL,
    starts_at       INTEGER,
    ends_at         INTEGER,
    version         INTEGER NOT NULL,
    planned_version INTEGER NOT NULL CHECK (planned_version <= version),
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    CONSTRAINT schedules_have_a_zone CHECK (per_user = (timezone IS NULL))
) STRICT;
INSERT INTO schedules
    SELECT id, external_id, event_type, priority, enabled, note, 'yearly', yearly_on, yearly_at,
           NULL, NULL, NULL, NULL, '[]', '[]', NULL, 1, NULL, endpoint_id, payload, gap, overlap,
           leap, 'all', NULL, 60, 100, 'allow', 0, NULL, NULL, version, planned_version, created_at,
           updated_at
      FROM schedules_before;
DROP TABLE schedules_before;
CREATE INDEX schedules_by_creation ON schedules (created_at, id);

-- jitter: microseconds after due it is sent. nominal_time: of the occurrence, microseconds since
-- midnight of `nominal`; nothing for yearly rules. origin: rule, trigger or backfill.
DROP VIEW v_events;
ALTER TABLE events ADD COLUMN jitter INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN nominal_time INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN second_pass INTEGER NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN origin TEXT NOT NULL DEFAULT 'rule';
ALTER TABLE event_history ADD COLUMN jitter INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_history ADD COLUMN nominal_time INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_history ADD COLUMN second_pass INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_history ADD COLUMN origin TEXT NOT NULL DEFAULT 'rule';
CREATE VIEW v_events AS
    SELECT id, status, priority, claimable_at, claimed_by,
           NULL AS finished_at, NULL AS reason, NULL AS dismissed_at,
           version, attempt, retry_count, due, jitter, first_attempt_at, created_at, updated_at,
           idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
           nominal_time, second_pass, origin, wall, zone, gap, overlap, tz_release, retry_of,
           payload, NULL AS executed_at, first_attempt_at - due - jitter AS lateness
      FROM events
    UNION ALL
    SELECT id, status, priority, 9223372036854775807, NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, jitter, first_attempt_at, created_at, updated_at,
           idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
           nominal_time, second_pass, origin, wall, zone, gap, overlap, tz_release, retry_of,
           payload, CASE WHEN status <> 'CANCELLED' THEN finished_at END,
           first_attempt_at - due - jitter
      FROM event_history;

-- Occurrences that did not fire: a run of them, for one reason, is one row.
CREATE TABLE skipped_runs (
    id          BLOB    NOT NULL PRIMARY KEY,
    schedule_id BLOB    NOT NULL,
    user_id     BLOB,
    reason      TEXT    NOT NULL,
    first       INTEGER NOT NULL,
    last        INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    next        INTEGER,  -- the occurrence after the run; null: the rule has ended
    recorded_at INTEGER NOT NULL
) STRICT;
CREATE INDEX skipped_runs_of_schedule ON skipped_runs (schedule_id, user_id, first);
CREATE INDEX skipped_runs_of_user ON skipped_runs (user_id) WHERE user_id IS NOT NULL;
