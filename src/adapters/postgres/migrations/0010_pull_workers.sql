-- Events of PULL endpoints, which instances leave to those endpoints' workers.
CREATE INDEX events_to_pull ON sundial.events (shard, endpoint_id, priority, claimable_at) WHERE pull;

-- worker: the name of a pull worker that asked the instance beside it for work; null where that
-- instance claimed for itself. held: the version that the claim of a try returned; by it a worker
-- says which try it means.
ALTER TABLE sundial.events
    ADD COLUMN worker text,
    ADD CONSTRAINT events_workers_ask_instances CHECK (worker IS NULL OR claimed_by IS NOT NULL);
ALTER TABLE sundial.event_history ADD COLUMN worker text;
ALTER TABLE sundial.attempts ADD COLUMN worker text, ADD COLUMN held bigint;

DROP VIEW sundial.v_events;
CREATE VIEW sundial.v_events AS
    SELECT shard, id, status, priority, claimable_at, claimed_by, worker,
           NULL::timestamptz AS finished_at, NULL::text AS reason, NULL::timestamptz AS dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, NULL::timestamptz AS executed_at,
           first_attempt_at - due - jitter AS lateness
      FROM sundial.events
    UNION ALL
    SELECT shard, id, status, priority, 'infinity', NULL, NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, CASE WHEN status <> 'CANCELLED' THEN finished_at END,
           first_attempt_at - due - jitter
      FROM sundial.event_history;
