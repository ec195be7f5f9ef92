-- Followers of outcomes, programs that embed Sundial, and the finished events that each has not handled yet (ADR 53). The
-- transaction that finishes an event queues it for each follower of its type. A follower deletes what it has handled, row by
-- row, so a transaction that commits late cannot be missed.
CREATE TABLE sundial.outcome_followers (
    name        text COLLATE "C" PRIMARY KEY,
    event_types text[]      NOT NULL,  -- empty: all
    made_at     timestamptz NOT NULL
);

CREATE TABLE sundial.outcome_queue (
    follower text COLLATE "C" NOT NULL,
    number   bigint GENERATED ALWAYS AS IDENTITY,
    event_id uuid   NOT NULL,
    PRIMARY KEY (follower, number)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1);

CREATE FUNCTION sundial.queue_outcomes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO sundial.outcome_queue (follower, event_id)
    SELECT follower.name, ended.id
      FROM ended
      JOIN sundial.outcome_followers AS follower
        ON follower.event_types = '{}' OR ended.event_type = ANY (follower.event_types)
     ORDER BY ended.finished_at, ended.id;
    RETURN NULL;
END $$;

-- Makes the follower, or gives it other types. The first one makes the trigger, so that databases without followers do not pay
-- for it. That waits for transactions that have written into the history and have not ended.
CREATE FUNCTION sundial.follow_outcomes(follower text, types text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('sundial.follow_outcomes'));
    IF NOT EXISTS (SELECT FROM pg_trigger
                    WHERE tgrelid = 'sundial.event_history'::regclass AND tgname = 'finished_events_are_queued') THEN
        CREATE TRIGGER finished_events_are_queued AFTER INSERT ON sundial.event_history
            REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION sundial.queue_outcomes();
    END IF;
    INSERT INTO sundial.outcome_followers VALUES (follower, types, sundial.clock())
    ON CONFLICT (name) DO UPDATE SET event_types = excluded.event_types;
END $$;
REVOKE EXECUTE ON FUNCTION sundial.queue_outcomes(), sundial.follow_outcomes(text, text[]) FROM PUBLIC;

ANALYZE sundial.outcome_followers, sundial.outcome_queue;
