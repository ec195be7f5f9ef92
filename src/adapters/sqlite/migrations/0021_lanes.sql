-- Events without an endpoint are claimed by type, by engines that have a handler for it (ADR 38). The events that earlier
-- engines parked because they had no handler become claimable when the next engine is opened.
DROP INDEX events_to_claim;
CREATE INDEX events_to_claim ON events (shard, priority, claimable_at)
    WHERE NOT pull AND obstacle IS NOT 'LIMIT' AND endpoint_id IS NOT NULL;
CREATE INDEX events_to_handle ON events (event_type, priority, claimable_at) WHERE endpoint_id IS NULL;
