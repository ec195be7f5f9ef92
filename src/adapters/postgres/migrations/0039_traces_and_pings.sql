-- W3C traceparent of the request that created the event; null: it had none.
ALTER TABLE sundial.events ADD COLUMN traceparent text;
ALTER TABLE sundial.event_history ADD COLUMN traceparent text;

-- Programs that schedule by SQL name their trace in the transaction: SET LOCAL sundial.traceparent = '00-…'. A text that is
-- none is ignored, because a broken trace must not break the transaction.
CREATE FUNCTION sundial.request_trace() RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT substring(current_setting('sundial.traceparent', true) FROM '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
$$;
REVOKE EXECUTE ON FUNCTION sundial.request_trace() FROM PUBLIC;
ALTER TABLE sundial.events ALTER COLUMN traceparent SET DEFAULT sundial.request_trace();

-- The functions that move an event into the history, or make a new event of a finished one, take the new column along. Each
-- change must be found once in the definition, or the migration fails.
DO $$
DECLARE
    change record;
    before text;
BEGIN
    FOR change IN
        SELECT * FROM (VALUES
            ('finish_claimed', 'second_pass, origin, worker)', 'second_pass, origin, worker, traceparent)'),
            ('finish_claimed', 'event.origin, event.worker)', 'event.origin, event.worker, event.traceparent)'),
            ('cancel_event', 'second_pass, origin)', 'second_pass, origin, traceparent)'),
            ('cancel_event', 'event.second_pass, event.origin)', 'event.second_pass, event.origin, event.traceparent)'),
            ('end_events_of_user', 'second_pass, origin)', 'second_pass, origin, traceparent)'),
            ('end_events_of_user', 'event.second_pass, event.origin)', 'event.second_pass, event.origin, event.traceparent)'),
            ('retry_event', 'second_pass, origin, pull)', 'second_pass, origin, pull, traceparent)'),
            ('retry_event', 'event.origin, pulled)', 'event.origin, pulled, event.traceparent)')
        ) AS list(function, old, new)
    LOOP
        before := pg_get_functiondef(('sundial.' || change.function)::regproc);
        IF length(before) - length(replace(before, change.old, '')) <> length(change.old) THEN
            RAISE EXCEPTION 'sundial.% is not the function that this migration changes', change.function;
        END IF;
        EXECUTE replace(before, change.old, change.new);
    END LOOP;
END $$;

-- Where to report that an event of the schedule has completed; null: nowhere.
ALTER TABLE sundial.schedules ADD COLUMN ping_url text;
