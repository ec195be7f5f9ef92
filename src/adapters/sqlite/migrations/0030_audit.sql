-- The caller that dismissed or retried a dead letter: the actor of a recorded event.
ALTER TABLE event_history ADD COLUMN dismissed_by TEXT;

DROP VIEW v_events;
CREATE VIEW v_events AS
    SELECT id, status, priority, claimable_at, claimed_by, obstacle,
           NULL AS finished_at, NULL AS reason, NULL AS dismissed_at,
           NULL AS dismissal_note, NULL AS dismissed_by,
           version, attempt, retry_count, due, jitter, first_attempt_at, created_at, updated_at,
           idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
           nominal_time, second_pass, origin, wall, zone, gap, overlap, tz_release, retry_of,
           payload, traceparent, NULL AS executed_at, first_attempt_at - due - jitter AS lateness,
           CASE WHEN claimed_by IS NOT NULL THEN NULL
                WHEN obstacle IS NOT NULL THEN obstacle
                WHEN claimable_at = 9223372036854775807
                THEN CASE status WHEN 'PENDING' THEN 'SCHEDULE' ELSE 'ENDPOINT' END
                WHEN status = 'PROCESSING' THEN 'RETRY' END AS waiting_for
      FROM events
    UNION ALL
    SELECT id, status, priority, 9223372036854775807, NULL, NULL,
           finished_at, reason, dismissed_at, dismissal_note, dismissed_by,
           version, attempt, retry_count, due, jitter, first_attempt_at, created_at, updated_at,
           idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
           nominal_time, second_pass, origin, wall, zone, gap, overlap, tz_release, retry_of,
           payload, traceparent, CASE WHEN status <> 'CANCELLED' THEN finished_at END,
           first_attempt_at - due - jitter, NULL
      FROM event_history;
