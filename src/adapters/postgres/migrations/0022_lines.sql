-- Due events that wait for the limits of their endpoint stand in its line, outside the claim index: nothing else passes
-- them, and an instance that has a permit takes the first of them (ADR 0033).
ALTER TABLE sundial.events
    ADD COLUMN line text,
    ADD CONSTRAINT events_in_line_are_free CHECK (line IS NULL OR claimed_by IS NULL);
DROP INDEX sundial.events_to_claim;
CREATE INDEX events_to_claim ON sundial.events (shard, priority, claimable_at) WHERE NOT pull AND line IS NULL;
CREATE INDEX events_in_line ON sundial.events (shard, line, priority, claimable_at) WHERE line IS NOT NULL;

-- Asked at every look.
CREATE INDEX endpoints_limited ON sundial.endpoints (id)
    WHERE (rate_per_second IS NOT NULL OR max_in_flight IS NOT NULL) AND type <> 'PULL';

-- The place of a waiting event was an estimate. It now goes when a permit is there.
ALTER TABLE sundial.endpoint_limits DROP COLUMN promised_until;

-- How many events the workers of a PULL endpoint hold. No instance's claim changes `worker`.
CREATE INDEX events_held_by_workers ON sundial.events (shard, endpoint_id) WHERE worker IS NOT NULL;
