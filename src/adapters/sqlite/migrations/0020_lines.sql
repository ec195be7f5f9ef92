-- Due events that wait for the limits of their endpoint stand in its line, outside the claim index: nothing else passes
-- them, and an instance that has a permit takes the first of them (ADR 0037). Until now they waited in the claim index,
-- each until the time of its estimated place; at that time the next claim puts them in line.
UPDATE events SET obstacle = NULL WHERE obstacle = 'LIMIT';
DROP INDEX events_to_claim;
CREATE INDEX events_to_claim ON events (shard, priority, claimable_at) WHERE NOT pull AND obstacle IS NOT 'LIMIT';
CREATE INDEX events_in_line ON events (endpoint_id, priority, claimable_at) WHERE obstacle = 'LIMIT';
ALTER TABLE endpoint_limits DROP COLUMN promised_until;

-- How many events the workers of a PULL endpoint hold.
CREATE INDEX events_held_by_workers ON events (endpoint_id) WHERE pull AND claimed_by IS NOT NULL;
