-- The caller that dismissed or retried a dead letter: the actor of a recorded event.
ALTER TABLE sundial.event_history ADD COLUMN dismissed_by text;

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
           NULL::text AS dismissal_note, traceparent, NULL::text AS dismissed_by
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
           dismissal_note, traceparent, dismissed_by
      FROM sundial.event_history;

-- An action of a caller on an existing event, in the event's audit stream. The event's row is locked.
CREATE FUNCTION sundial.record_action(event uuid, event_type text, data jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    id     CONSTANT text := event::text;
    number bigint;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(1398097478, hashtext('EventAudit/' || id) & 15);
    INSERT INTO sundial.streams AS stream (aggregate_type, aggregate_id, version)
    VALUES ('EventAudit', id, 1)
    ON CONFLICT ON CONSTRAINT streams_pkey DO UPDATE SET version = stream.version + 1
    RETURNING version INTO number;
    INSERT INTO sundial.recorded_events
        (aggregate_type, aggregate_id, version, event_id, event_type, data, correlation_id, recorded_at, actor)
    VALUES ('EventAudit', id, number, sundial.new_id(), record_action.event_type, record_action.data::text,
            'sql-' || pg_current_xact_id(), sundial.clock(), sundial.sql_actor());
END $$;
REVOKE EXECUTE ON FUNCTION sundial.record_action(uuid, text, jsonb) FROM PUBLIC;

-- The functions for SQL callers stay as they are except for these lines.
CREATE FUNCTION sundial.edit_function(routine regprocedure, was text, becomes text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    source CONSTANT text := pg_get_functiondef(routine);
BEGIN
    IF (length(source) - length(replace(source, was, ''))) <> length(was) THEN
        RAISE EXCEPTION '% does not have this text once: %', routine, was;
    END IF;
    EXECUTE replace(source, was, becomes);
END $$;

SELECT sundial.edit_function('sundial.cancel_event(uuid)', '    RETURN true;',
    $new$    PERFORM sundial.record_action(event.id, 'EventCancelled', jsonb_build_object('status', event.status));
    RETURN true;$new$);
SELECT sundial.edit_function('sundial.retry_event(uuid)', '        RETURN live.id;',
    $new$        PERFORM sundial.record_action(live.id, 'EventRetried', jsonb_build_object('retryId', live.id, 'newKey', false));
        RETURN live.id;$new$);
SELECT sundial.edit_function('sundial.retry_event(uuid)', 'SET dismissed_at = now, version',
    'SET dismissed_at = now, dismissed_by = sundial.sql_actor(), version');
SELECT sundial.edit_function('sundial.retry_event(uuid)', '    RETURN new_id;',
    $new$    PERFORM sundial.record_action(event.id, 'EventRetried', jsonb_build_object('retryId', new_id, 'newKey', false));
    RETURN new_id;$new$);
-- Streams of these types are Sundial's own.
SELECT sundial.edit_function('sundial.append(text, text, bigint, jsonb)', $old$'ApiKey')$old$,
    $new$'ApiKey', 'EventAudit', 'OperationAudit')$new$);
DROP FUNCTION sundial.edit_function(regprocedure, text, text);
