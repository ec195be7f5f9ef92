-- Holds the followers, so that one is not removed before the transaction that queues outcomes for it has ended. Its removal
-- waits for that and then sees their rows. Transactions that queue do not wait for each other.
CREATE OR REPLACE FUNCTION sundial.queue_outcomes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO sundial.outcome_queue (follower, event_id)
    SELECT follower.name, ended.id
      FROM ended
      JOIN sundial.outcome_followers AS follower
        ON follower.event_types = '{}' OR ended.event_type = ANY (follower.event_types)
     ORDER BY ended.finished_at, ended.id
       FOR KEY SHARE OF follower;
    RETURN NULL;
END $$;

-- Outcomes whose followers were removed before this.
DELETE FROM sundial.outcome_queue AS queued
 WHERE NOT EXISTS (SELECT FROM sundial.outcome_followers AS follower WHERE follower.name = queued.follower);
