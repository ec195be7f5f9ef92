-- The history has one of two layouts. On one server: done and failed events in tables of their own, each by month. On a
-- distributed database (sundial db distribute): one level, by status and month, because Citus distributes no partitions of
-- partitions (ADR 70). These functions work with both.
CREATE OR REPLACE FUNCTION sundial.make_history_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    nested CONSTANT boolean := to_regclass('sundial.event_history_done') IS NOT NULL;
    kind   text;
    month  timestamp;
    future text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('sundial.make_history_partitions'));
    FOREACH kind IN ARRAY CASE WHEN nested THEN ARRAY['done', 'failed'] ELSE ARRAY['COMPLETED', 'CANCELLED', 'FAILED'] END LOOP
        FOR ahead IN 0..2 LOOP
            month := date_trunc('month', sundial.clock() AT TIME ZONE 'UTC') + make_interval(months => ahead);
            future := CASE WHEN nested THEN format('event_history_%s_%s', kind, to_char(month, 'YYYY_MM'))
                           ELSE format('event_history_%s_%s', to_char(month, 'YYYY_MM'), lower(kind)) END;
            CONTINUE WHEN to_regclass('sundial.' || future) IS NOT NULL;
            BEGIN
                IF nested THEN
                    EXECUTE format(
                        'CREATE TABLE sundial.%I PARTITION OF sundial.%I FOR VALUES FROM (%L) TO (%L)',
                        future, 'event_history_' || kind,
                        month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
                ELSE
                    EXECUTE format(
                        'CREATE TABLE sundial.%I PARTITION OF sundial.event_history FOR VALUES FROM (%L, %L) TO (%L, %L)',
                        future, kind, month AT TIME ZONE 'UTC', kind, (month + interval '1 month') AT TIME ZONE 'UTC');
                END IF;
            EXCEPTION WHEN check_violation THEN
                NULL;  -- the default partition holds rows of that month
            END;
        END LOOP;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION sundial.drop_history_partitions(kind text, before timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    nested  CONSTANT boolean := to_regclass('sundial.event_history_done') IS NOT NULL;
    old     record;
    dropped integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('sundial.make_history_partitions'));
    FOR old IN
        SELECT child.relname::text AS name
          FROM pg_inherits JOIN pg_class AS child ON child.oid = inhrelid
         WHERE inhparent = to_regclass('sundial.event_history' || CASE WHEN nested THEN '_' || kind ELSE '' END)
           AND child.relname::text ~ CASE WHEN nested THEN '_\d{4}_\d{2}$'
                                          WHEN kind = 'failed' THEN '_\d{4}_\d{2}_failed$'
                                          ELSE '_\d{4}_\d{2}_(completed|cancelled)$' END
           AND (to_date(substring(child.relname::text FROM '\d{4}_\d{2}'), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC'
               <= before
    LOOP
        EXECUTE format('DROP TABLE sundial.%I', old.name);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;

-- Deletes at most `most` finished events older than `before` in months that have no partition. kind: done or failed.
CREATE FUNCTION sundial.forget_history_rest(kind text, before timestamptz, most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    deleted bigint;
BEGIN
    IF to_regclass('sundial.event_history_done') IS NULL THEN
        DELETE FROM sundial.event_history_default
         WHERE (shard, id) IN (SELECT shard, id FROM sundial.event_history_default
                                WHERE finished_at < before AND (status = 'FAILED') = (kind = 'failed') LIMIT most);
    ELSIF kind = 'failed' THEN
        DELETE FROM sundial.event_history_failed_default
         WHERE (shard, id) IN (SELECT shard, id FROM sundial.event_history_failed_default WHERE finished_at < before LIMIT most);
    ELSE
        DELETE FROM sundial.event_history_done_default
         WHERE (shard, id) IN (SELECT shard, id FROM sundial.event_history_done_default WHERE finished_at < before LIMIT most);
    END IF;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
END $$;
REVOKE EXECUTE ON FUNCTION sundial.forget_history_rest(text, timestamptz, bigint) FROM PUBLIC;
