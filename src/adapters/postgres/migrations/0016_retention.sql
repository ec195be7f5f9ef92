-- By which retention finds what is old, in tables that grow at their end: a few kilobytes each.
CREATE INDEX attempts_recorded ON sundial.attempts USING brin (recorded_at);
CREATE INDEX event_keys_expiry ON sundial.event_keys USING brin (expires_at);

-- Drops the history's partitions whose whole month lies before then. kind: done or failed.
CREATE FUNCTION sundial.drop_history_partitions(kind text, before timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    old     record;
    dropped integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('sundial.make_history_partitions'));
    FOR old IN
        SELECT child.relname::text AS name
          FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
         WHERE inhparent = ('sundial.event_history_' || kind)::regclass
           AND child.relname::text ~ '_\d{4}_\d{2}$'
           AND (to_date(right(child.relname::text, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= before
    LOOP
        EXECUTE format('DROP TABLE sundial.%I', old.name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;
