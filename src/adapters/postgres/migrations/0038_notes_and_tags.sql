-- Why a dead letter was dismissed, in the words of the person who did it.
ALTER TABLE sundial.event_history ADD COLUMN dismissal_note text;

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
           CASE WHEN wall IS NULL OR tz_release <> '' THEN due END AS target,
           NULL::text AS dismissal_note
      FROM sundial.events
    UNION ALL
    SELECT shard, id, status, priority, 'infinity', NULL, NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, CASE WHEN status <> 'CANCELLED' THEN finished_at END,
           first_attempt_at - due - jitter, NULL, NULL,
           CASE WHEN wall IS NULL OR tz_release <> '' THEN due END,
           dismissal_note
      FROM sundial.event_history;

-- An operator's own groups of schedules.
ALTER TABLE sundial.schedules ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
