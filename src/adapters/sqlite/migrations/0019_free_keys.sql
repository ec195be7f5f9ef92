-- free: a new event may take the key over, because its current event was cancelled, or has failed and
-- was dismissed, and is not an occurrence of a schedule. attempt: of that event; the next one's attempts
-- are numbered after it.
ALTER TABLE event_keys ADD COLUMN free INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_keys ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
UPDATE event_keys
   SET free = 1, attempt = (SELECT attempt FROM event_history WHERE id = event_keys.event_id)
 WHERE event_id IN (SELECT id FROM event_history
                     WHERE schedule_id IS NULL
                       AND (status = 'CANCELLED' OR (status = 'FAILED' AND dismissed_at IS NOT NULL)));
