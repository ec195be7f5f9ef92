-- Due events that wait for the limits of their endpoint stand in its line, outside the claim index: nothing else passes
-- them, and an instance that has a permit takes the first of them (ADR 0037). Until now they waited in the claim index,
-- each until the time of its estimated place; at that time the next claim puts them in line.
UPDATE sundial.events SET obstacle = NULL WHERE obstacle = 'LIMIT';
DROP INDEX sundial.events_to_claim;
CREATE INDEX events_to_claim ON sundial.events (shard, priority, claimable_at)
    WHERE NOT pull AND obstacle IS DISTINCT FROM 'LIMIT';
CREATE INDEX events_in_line ON sundial.events (shard, endpoint_id, priority, claimable_at) WHERE obstacle = 'LIMIT';
ALTER TABLE sundial.endpoint_limits DROP COLUMN promised_until;

-- Read at every peek.
CREATE INDEX endpoints_limited ON sundial.endpoints (id)
    WHERE (rate_per_second IS NOT NULL OR max_in_flight IS NOT NULL) AND type <> 'PULL';

-- How many events the workers of a PULL endpoint hold. No instance's claim changes `worker`.
CREATE INDEX events_held_by_workers ON sundial.events (shard, endpoint_id) WHERE worker IS NOT NULL;
