-- When and how fast an endpoint is sent to: its limits, its circuit, and what of an event waits for either.
ALTER TABLE sundial.endpoints
    ADD COLUMN rate_per_second integer,  -- null: no limit
    ADD COLUMN rate_burst      integer,
    ADD COLUMN max_in_flight   integer,
    ADD CONSTRAINT endpoints_rates_are_whole CHECK (num_nulls(rate_per_second, rate_burst) IN (0, 2));

-- Of an event that was given back unsent: CIRCUIT or LIMIT, until it is claimed again.
ALTER TABLE sundial.events ADD COLUMN obstacle text;

-- How each receiver does. No version of the endpoint: it changes with every batch of results.
CREATE TABLE sundial.endpoint_circuits (
    endpoint_id     uuid        PRIMARY KEY,
    state           text        NOT NULL CHECK (state IN ('CLOSED', 'HALF_OPEN', 'OPEN')),
    calls           integer[]   NOT NULL,  -- results in each part of the window, the latest first
    failures        integer[]   NOT NULL,  -- those of them that were failures
    part_began      timestamptz NOT NULL,
    opened_at       timestamptz,
    open_for        interval    NOT NULL,
    probe_at        timestamptz NOT NULL,  -- when somebody may probe, or when a probe under way is lost
    prober          uuid,                  -- the instance whose probe is under way
    probes_answered integer     NOT NULL,
    accepted_at     timestamptz,
    failing_since   timestamptz
) WITH (fillfactor = 50);

-- What instances share of an endpoint's limits.
CREATE TABLE sundial.endpoint_limits (
    endpoint_id    uuid        PRIMARY KEY,
    bucket_full_at timestamptz NOT NULL,  -- tells how many tokens there are
    promised_until timestamptz NOT NULL   -- the latest place given to an event that waits
) WITH (fillfactor = 50);
CREATE TABLE sundial.endpoint_slots (
    endpoint_id uuid        NOT NULL,
    instance_id uuid        NOT NULL,
    slots       integer     NOT NULL,  -- requests that it may have in flight
    ends        timestamptz NOT NULL,
    lacks_until timestamptz NOT NULL,
    PRIMARY KEY (endpoint_id, instance_id)
);

ANALYZE sundial.endpoint_circuits, sundial.endpoint_limits, sundial.endpoint_slots;
