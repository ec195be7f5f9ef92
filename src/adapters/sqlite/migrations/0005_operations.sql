-- Long jobs, done in batches: each batch is one transaction that also stores how far the job has come.
CREATE TABLE operations (
    id               BLOB    NOT NULL PRIMARY KEY,
    kind             TEXT    NOT NULL,
    status           TEXT    NOT NULL CHECK (status IN ('RUNNING', 'COMPLETED', 'FAILED', 'STOPPED')),
    reason           TEXT,              -- of FAILED and STOPPED
    schedule_id      BLOB,              -- what it works on
    schedule_version INTEGER,
    total            INTEGER,           -- rows to go through; null until it has begun
    done             INTEGER NOT NULL,
    failed           INTEGER NOT NULL,
    cursor           TEXT,              -- the last row that is done
    held_by          BLOB,              -- the instance that is at it
    claimable_at     INTEGER NOT NULL,  -- when one may take it; "never" once it is over
    version          INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    finished_at      INTEGER,
    CONSTRAINT operations_end CHECK ((status = 'RUNNING') = (finished_at IS NULL))
) STRICT;
CREATE INDEX operations_running ON operations (claimable_at) WHERE status = 'RUNNING';
CREATE INDEX operations_by_creation ON operations (created_at, id);

-- An edit of a schedule that was cut short goes on as an operation; the schedule's id will do for it.
INSERT INTO operations
    SELECT id, 'REPLAN_SCHEDULE', 'RUNNING', NULL, id, version, NULL, 0, 0, NULL, NULL, updated_at, 1,
           updated_at, updated_at, NULL
      FROM schedules WHERE planned_version < version;
