-- Followers of outcomes, programs that embed Sundial, and the finished events that each has not handled yet (ADR 53). The
-- transaction that finishes an event queues it for each follower of its type.
CREATE TABLE outcome_followers (
    name        TEXT    NOT NULL PRIMARY KEY,
    event_types TEXT    NOT NULL,  -- a JSON array; empty: all
    made_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outcome_queue (
    number   INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    follower TEXT    NOT NULL,
    event_id BLOB    NOT NULL
) STRICT;
CREATE INDEX outcome_queue_of_follower ON outcome_queue (follower, number);

CREATE TRIGGER finished_events_are_queued AFTER INSERT ON event_history
WHEN EXISTS (SELECT 1 FROM outcome_followers)
BEGIN
    INSERT INTO outcome_queue (follower, event_id)
    SELECT name, NEW.id FROM outcome_followers
     WHERE event_types = '[]' OR NEW.event_type IN (SELECT value FROM json_each(event_types));
END;
