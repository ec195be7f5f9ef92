-- The latest report of each instance about itself, for people (GET /v1/instances).
CREATE TABLE instance_reports (
    id                 BLOB    NOT NULL PRIMARY KEY,
    version            TEXT    NOT NULL,
    roles              TEXT    NOT NULL,  -- JSON: ["api", …]
    started_at         INTEGER NOT NULL,
    reported_at        INTEGER NOT NULL,
    clock_skew         INTEGER NOT NULL,
    held               INTEGER NOT NULL,
    slots              INTEGER NOT NULL,
    draining           INTEGER NOT NULL,
    drain_requested_at INTEGER
) STRICT, WITHOUT ROWID;

-- Counters by minute (step 60) and hour (step 3600), for the console (ADR 0042). durations: "bucket:count …", see
-- domain/histogram.hpp.
CREATE TABLE counters (
    step        INTEGER NOT NULL,
    grouped_by  TEXT    NOT NULL,  -- ALL, TYPE, ENDPOINT
    measure     TEXT    NOT NULL,
    slot        INTEGER NOT NULL,
    label       TEXT    NOT NULL,
    instance_id BLOB    NOT NULL,
    count       INTEGER NOT NULL,
    durations   TEXT    NOT NULL,
    PRIMARY KEY (step, grouped_by, measure, slot, label, instance_id)
) STRICT, WITHOUT ROWID;
