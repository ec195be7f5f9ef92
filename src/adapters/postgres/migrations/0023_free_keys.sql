-- free: a new event may take the key over, because its current event was cancelled, or has failed and
-- was dismissed, and is not an occurrence of a schedule. attempt: of that event; the next one's attempts
-- are numbered after it.
ALTER TABLE sundial.event_keys ADD COLUMN free boolean NOT NULL DEFAULT false;
ALTER TABLE sundial.event_keys ADD COLUMN attempt integer NOT NULL DEFAULT 0;
UPDATE sundial.event_keys AS key
   SET free = true, attempt = event.attempt
  FROM sundial.event_history AS event
 WHERE event.status IN ('CANCELLED', 'FAILED') AND event.schedule_id IS NULL
   AND (event.status = 'CANCELLED' OR event.dismissed_at IS NOT NULL)
   AND key.key = event.idempotency_key AND key.event_id = event.id
   AND key.shard = sundial.shard_of_key(
           event.idempotency_key,
           (SELECT value::integer FROM sundial.settings WHERE name = 'shards'));
