-- When and how fast an endpoint is sent to: its limits, its circuit, and what of an event waits for either.
ALTER TABLE endpoints ADD COLUMN rate_per_second INTEGER;  -- null: no limit
ALTER TABLE endpoints ADD COLUMN rate_burst      INTEGER;
ALTER TABLE endpoints ADD COLUMN max_in_flight   INTEGER;

-- Of an event that was given back unsent: CIRCUIT or LIMIT, until it is claimed again.
ALTER TABLE events ADD COLUMN obstacle TEXT;
CREATE INDEX events_held_up ON events (endpoint_id, obstacle) WHERE obstacle IS NOT NULL;

-- How each receiver does. No version of the endpoint: it changes with every batch of results.
CREATE TABLE endpoint_circuits (
    endpoint_id     BLOB    NOT NULL PRIMARY KEY,
    state           TEXT    NOT NULL CHECK (state IN ('CLOSED', 'HALF_OPEN', 'OPEN')),
    calls           TEXT    NOT NULL,  -- JSON: results in each part of the window, the latest first
    failures        TEXT    NOT NULL,  -- JSON: those of them that were failures
    part_began      INTEGER NOT NULL,
    opened_at       INTEGER,
    open_for        INTEGER NOT NULL,  -- seconds
    probe_at        INTEGER NOT NULL,  -- when somebody may probe, or when a probe under way is lost
    prober          BLOB,              -- the instance whose probe is under way
    probes_answered INTEGER NOT NULL,
    accepted_at     INTEGER,
    failing_since   INTEGER
) STRICT, WITHOUT ROWID;

-- What instances share of an endpoint's limits.
CREATE TABLE endpoint_limits (
    endpoint_id    BLOB    NOT NULL PRIMARY KEY,
    bucket_full_at INTEGER NOT NULL,  -- tells how many tokens there are
    promised_until INTEGER NOT NULL   -- the latest place given to an event that waits
) STRICT, WITHOUT ROWID;
CREATE TABLE endpoint_slots (
    endpoint_id BLOB    NOT NULL,
    instance_id BLOB    NOT NULL,
    slots       INTEGER NOT NULL,  -- requests that it may have in flight
    ends        INTEGER NOT NULL,
    lacks_until INTEGER NOT NULL,
    PRIMARY KEY (endpoint_id, instance_id)
) STRICT, WITHOUT ROWID;
