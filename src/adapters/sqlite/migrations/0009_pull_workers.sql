-- Events of PULL endpoints, which instances leave to those endpoints' workers.
ALTER TABLE events ADD COLUMN pull INTEGER NOT NULL DEFAULT 0;
DROP INDEX events_to_claim;
CREATE INDEX events_to_claim ON events (shard, priority, claimable_at) WHERE NOT pull;
CREATE INDEX events_to_pull ON events (endpoint_id, priority, claimable_at) WHERE pull;

-- The version that the claim of a try returned: by it a worker says which try it means.
-- claimed_by, instance_id and settled_by have a worker's name after the id of the instance that it
-- asked.
ALTER TABLE attempts ADD COLUMN held INTEGER;
