-- Long jobs, done in batches: each batch is one transaction that also stores how far the job has come.
CREATE TABLE sundial.operations (
    id               uuid        PRIMARY KEY,
    kind             text        NOT NULL,
    status           text        NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED', 'FAILED', 'STOPPED')),
    reason           text,                  -- of FAILED and STOPPED
    schedule_id      uuid,                  -- what it works on
    schedule_version bigint,
    total            bigint,                -- rows to go through; null until it has begun
    done             bigint      NOT NULL,
    failed           bigint      NOT NULL,
    cursor           text,                  -- the last row that is done
    held_by          uuid,                  -- the instance that is at it
    claimable_at     timestamptz NOT NULL,  -- when one may take it; infinity once it is over
    version          bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    finished_at      timestamptz,
    CONSTRAINT operations_end CHECK ((status = 'RUNNING') = (finished_at IS NULL))
);
CREATE INDEX operations_running ON sundial.operations (claimable_at) WHERE status = 'RUNNING';
CREATE INDEX operations_by_creation ON sundial.operations (created_at, id);

-- An edit of a schedule that was cut short goes on as an operation; the schedule's id will do for it.
INSERT INTO sundial.operations
    SELECT id, 'REPLAN_SCHEDULE', 'RUNNING', NULL, id, version, NULL, 0, 0, NULL, NULL, updated_at, 1,
           updated_at, updated_at, NULL
      FROM sundial.schedules WHERE planned_version < version;

ANALYZE sundial.operations;
