-- Each running instance renews its row about once a second (ADR 0040). Others take the claims of one that does not, long
-- before their leases end. An instance of an earlier version has no row, so only leases end its claims. The table is small
-- and lies on one node where events are distributed. Half of each page is free, so that a renewal writes no index entry.
CREATE TABLE sundial.instances (
    id             uuid PRIMARY KEY,
    started_at     timestamptz NOT NULL,
    renewed_at     timestamptz NOT NULL,
    unbroken_since timestamptz NOT NULL  -- no two renewals since then were far apart
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);
