-- The latest report of each instance about itself, for people (GET /v1/instances). Claims depend on sundial.instances alone.
CREATE TABLE sundial.instance_reports (
    id                 uuid        PRIMARY KEY,
    version            text        NOT NULL,
    roles              text[]      NOT NULL,
    started_at         timestamptz NOT NULL,
    reported_at        timestamptz NOT NULL,
    clock_skew         interval    NOT NULL,
    held               integer     NOT NULL,
    slots              integer     NOT NULL,
    draining           boolean     NOT NULL,
    drain_requested_at timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- Counters by minute (step 60) and hour (step 3600), for the console (ADR 0042). Each instance writes its own rows, with
-- their values so far, in one statement a second; so no row is contended. durations: "bucket:count …", see
-- domain/histogram.hpp. Like all tables for people it lies on one node where events are distributed.
CREATE TABLE sundial.counters (
    step        integer     NOT NULL,
    grouped_by  text        NOT NULL,  -- ALL, TYPE, ENDPOINT
    measure     text        NOT NULL,
    slot        timestamptz NOT NULL,
    label       text        NOT NULL,
    instance_id uuid        NOT NULL,
    count       bigint      NOT NULL,
    durations   text        NOT NULL,
    PRIMARY KEY (step, grouped_by, measure, slot, label, instance_id)
) WITH (fillfactor = 80, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.02);
