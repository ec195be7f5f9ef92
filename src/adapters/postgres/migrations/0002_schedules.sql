-- Schedules of every kind, the identity of every kind of occurrence, and what did not fire.

ALTER TABLE sundial.schedules
    ADD COLUMN kind           text NOT NULL DEFAULT 'yearly'
                              CHECK (kind IN ('yearly', 'cron', 'rrule', 'every')),
    ALTER COLUMN yearly_on    DROP NOT NULL,
    ALTER COLUMN yearly_at    DROP NOT NULL,
    ADD COLUMN cron           text,
    ADD COLUMN ical           text,  -- an RRULE as iCalendar text; or by its parts:
    ADD COLUMN dtstart        text,
    ADD COLUMN rrule          text,
    ADD COLUMN rdates         text[]   NOT NULL DEFAULT '{}',
    ADD COLUMN exdates        text[]   NOT NULL DEFAULT '{}',
    ADD COLUMN every          interval,
    ADD COLUMN per_user       boolean  NOT NULL DEFAULT true,
    ADD COLUMN timezone       text,  -- of what does not run for each user
    ADD COLUMN misfire        text     NOT NULL DEFAULT 'all',
    ADD COLUMN misfire_window interval,
    ADD COLUMN misfire_grace  interval NOT NULL DEFAULT '1 minute',
    ADD COLUMN misfire_limit  integer  NOT NULL DEFAULT 100,
    ADD COLUMN concurrency    text     NOT NULL DEFAULT 'allow',
    ADD COLUMN jitter         interval NOT NULL DEFAULT '0',
    ADD COLUMN starts_at      timestamptz,
    ADD COLUMN ends_at        timestamptz,
    ADD CONSTRAINT schedules_have_a_zone CHECK (per_user = (timezone IS NULL));
CREATE INDEX schedules_by_creation ON sundial.schedules (created_at, id);

-- jitter: after due it is sent. nominal_time: of the occurrence, since midnight of `nominal`; nothing
-- for yearly rules. origin: rule, trigger or backfill.
DROP VIEW sundial.v_events;
ALTER TABLE sundial.events
    ADD COLUMN jitter       interval NOT NULL DEFAULT '0',
    ADD COLUMN nominal_time interval NOT NULL DEFAULT '0',
    ADD COLUMN second_pass  boolean  NOT NULL DEFAULT false,
    ADD COLUMN origin       text     NOT NULL DEFAULT 'rule';
ALTER TABLE sundial.event_history
    ADD COLUMN jitter       interval NOT NULL DEFAULT '0',
    ADD COLUMN nominal_time interval NOT NULL DEFAULT '0',
    ADD COLUMN second_pass  boolean  NOT NULL DEFAULT false,
    ADD COLUMN origin       text     NOT NULL DEFAULT 'rule';
CREATE VIEW sundial.v_events AS
    SELECT shard, id, status, priority, claimable_at, claimed_by,
           NULL::timestamptz AS finished_at, NULL::text AS reason, NULL::timestamptz AS dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, NULL::timestamptz AS executed_at,
           first_attempt_at - due - jitter AS lateness
      FROM sundial.events
    UNION ALL
    SELECT shard, id, status, priority, 'infinity', NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, CASE WHEN status <> 'CANCELLED' THEN finished_at END,
           first_attempt_at - due - jitter
      FROM sundial.event_history;

-- Occurrences that did not fire: a run of them, for one reason, is one row.
CREATE TABLE sundial.skipped_runs (
    id          uuid        PRIMARY KEY,
    schedule_id uuid        NOT NULL,
    user_id     uuid,
    reason      text        NOT NULL,
    first       timestamptz NOT NULL,
    last        timestamptz NOT NULL,
    count       bigint      NOT NULL,
    next        timestamptz,  -- the occurrence after the run; null: the rule has ended
    recorded_at timestamptz NOT NULL
);
CREATE INDEX skipped_runs_of_schedule ON sundial.skipped_runs (schedule_id, user_id, first);
CREATE INDEX skipped_runs_of_user ON sundial.skipped_runs (user_id) WHERE user_id IS NOT NULL;
