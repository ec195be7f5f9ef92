-- Due events that wait for the limits of their endpoint stand in its line, outside the claim index: nothing else passes
-- them, and an instance that has a permit takes the first of them (ADR 0033).
ALTER TABLE events ADD COLUMN line TEXT;
DROP INDEX events_to_claim;
CREATE INDEX events_to_claim ON events (shard, priority, claimable_at) WHERE NOT pull AND line IS NULL;
CREATE INDEX events_in_line ON events (line, priority, claimable_at) WHERE line IS NOT NULL;

-- The place of a waiting event was an estimate. It now goes when a permit is there.
ALTER TABLE endpoint_limits DROP COLUMN promised_until;

-- How many events the workers of a PULL endpoint hold.
CREATE INDEX events_held_by_workers ON events (endpoint_id) WHERE pull AND claimed_by IS NOT NULL;
