-- Views for people and programs that read, and the rights to read and to call. Without a grant, only the owner of the schema
-- may do either.

-- Due, and not claimed: the oldest of the most urgent first.
CREATE VIEW sundial.v_due AS
    SELECT shard, id, status, (ARRAY['CRITICAL', 'HIGH', 'NORMAL', 'LOW'])[priority + 1] AS priority, event_type, target,
           claimable_at, sundial.clock() - claimable_at AS waits_for, waiting_for, attempt, retry_count, idempotency_key,
           endpoint_id, user_id, schedule_id
      FROM sundial.v_events
     WHERE status IN ('PENDING', 'PROCESSING') AND claimed_by IS NULL AND claimable_at <= sundial.clock()
     ORDER BY shard, v_events.priority, claimable_at;

-- FAILED and not dismissed, the latest first.
CREATE VIEW sundial.v_dead_letters AS
    SELECT shard, id, event_type, target, finished_at, reason, attempt, retry_count, idempotency_key, endpoint_id, user_id,
           schedule_id, version
      FROM sundial.v_events WHERE status = 'FAILED' AND dismissed_at IS NULL
     ORDER BY finished_at DESC;

-- PENDING, the next first; those without an instant last.
CREATE VIEW sundial.v_upcoming AS
    SELECT shard, id, (ARRAY['CRITICAL', 'HIGH', 'NORMAL', 'LOW'])[priority + 1] AS priority, event_type, target, wall AS local_time,
           zone AS timezone, waiting_for, idempotency_key, endpoint_id, user_id, schedule_id, version
      FROM sundial.v_events WHERE status = 'PENDING'
     ORDER BY target;

-- Attempts worth reading: a success is recorded by its event.
CREATE VIEW sundial.v_attempts AS
    SELECT shard, event_id, number, outcome, endpoint_id, started_at, duration, status_code, error_code, error_text,
           instance_id, worker, recorded_at
      FROM sundial.attempts;

-- Requests by SQL that wait for a server, or were refused by one.
CREATE VIEW sundial.v_intake AS
    SELECT number, kind, subject, data ->> 'name' AS name, CASE WHEN failed_at IS NULL THEN 'WAITING' ELSE 'FAILED' END AS status,
           code, detail, actor, asked_at, failed_at
      FROM sundial.intake WHERE NOT done;

-- Functions that act with the owner's rights are called by the owner, and by roles with a grant.
DO $$
DECLARE
    called text;
BEGIN
    FOR called IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'sundial'::regnamespace AND prosecdef LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', called);
    END LOOP;
END $$;

-- `sundial db grant`: lets a role call the functions for callers. With `reads`, it may also read the views, without payloads,
-- names and birth dates; with `payloads`, the payloads, too.
CREATE FUNCTION sundial.grant_to(role text, calls boolean, reads boolean, payloads boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    called text;
    shown  text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        PERFORM sundial.refuse('SD404', 'ROLE_NOT_FOUND', jsonb_build_object('role', role), format('there is no role %L', role));
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA sundial TO %I', role);
    IF calls THEN
        FOR called IN
            SELECT its.oid::regprocedure FROM pg_proc AS its
             WHERE its.pronamespace = 'sundial'::regnamespace
               AND its.proname IN ('schedule_event', 'schedule_local', 'schedule_cron', 'schedule_rule', 'unschedule', 'upsert_user',
                                   'delete_user', 'cancel_event', 'retry_event', 'claim', 'complete', 'fail', 'release', 'extend',
                                   'append', 'try_lock', 'unlock', 'wake')
        LOOP
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', called, role);
        END LOOP;
    END IF;
    IF reads OR payloads THEN
        EXECUTE format('GRANT SELECT ON sundial.v_due, sundial.v_dead_letters, sundial.v_upcoming, sundial.v_attempts, sundial.v_intake TO %I', role);
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO shown FROM pg_attribute
         WHERE attrelid = 'sundial.v_events'::regclass AND attnum > 0 AND NOT attisdropped AND (payloads OR attname <> 'payload');
        EXECUTE format('GRANT SELECT (%s) ON sundial.v_events TO %I', shown, role);
    END IF;
END $$;
