-- Outboxes of applications (storage.intake): how far each has come. An application's row counts as taken once its id is in
-- `outbox_taken`, which has ranges that never touch each other. The transaction that carries a row out writes its id.
CREATE TABLE outboxes (
    name        TEXT    NOT NULL PRIMARY KEY,
    source      TEXT    NOT NULL,  -- the place of the table, without user and password
    failure     TEXT    NOT NULL,  -- why it cannot be read; empty: it can
    changed_at  INTEGER NOT NULL,  -- since when
    taken       INTEGER NOT NULL,
    refused     INTEGER NOT NULL,
    last_id     INTEGER,
    taken_at    INTEGER,
    followed_by BLOB,
    lease_ends  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outbox_taken (
    intake     TEXT    NOT NULL,
    first_id   INTEGER NOT NULL,
    last_id    INTEGER NOT NULL CHECK (last_id >= first_id),
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (intake, first_id)
) STRICT, WITHOUT ROWID;

-- Until the application deletes the row.
CREATE TABLE outbox_refused (
    intake     TEXT    NOT NULL,
    id         INTEGER NOT NULL,
    kind       TEXT    NOT NULL,  -- event, schedule, user; empty: another
    code       TEXT    NOT NULL,
    detail     TEXT    NOT NULL,
    errors     TEXT    NOT NULL,  -- a JSON array
    refused_at INTEGER NOT NULL,
    PRIMARY KEY (intake, id)
) STRICT, WITHOUT ROWID;

-- One row for each outbox, and one for each row that was refused. Instants are microseconds since 1970.
CREATE VIEW v_intake AS
    SELECT 'OUTBOX' AS kind, name, CASE WHEN failure = '' THEN 'FOLLOWED' ELSE 'LOST' END AS status,
           NULL AS code, nullif(failure, '') AS detail, name AS intake, NULL AS row_id, taken, refused, last_id, taken_at,
           changed_at, NULL AS errors
      FROM outboxes
    UNION ALL
    SELECT upper(kind), intake, 'FAILED', code, detail, intake, id, NULL, NULL, NULL, NULL, refused_at, errors
      FROM outbox_refused;
