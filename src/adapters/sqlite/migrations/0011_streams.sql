-- Streams for everybody, not only for the changes of users, schedules and endpoints: aggregates have ids of any
-- text, and each stream a head.
CREATE TABLE streams (
    aggregate_type   TEXT    NOT NULL,
    aggregate_id     TEXT    NOT NULL,
    version          INTEGER NOT NULL,            -- events ever appended
    truncated_before INTEGER NOT NULL DEFAULT 0,  -- payloads below are erased
    archived_at      INTEGER,
    deleted_at       INTEGER,
    PRIMARY KEY (aggregate_type, aggregate_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_events_now (
    position       INTEGER PRIMARY KEY AUTOINCREMENT,
    aggregate_type TEXT    NOT NULL,
    aggregate_id   TEXT    NOT NULL,
    version        INTEGER NOT NULL,
    event_id       BLOB    NOT NULL UNIQUE,
    event_type     TEXT    NOT NULL,
    schema_version INTEGER NOT NULL DEFAULT 1,
    data           TEXT,                          -- JSON; null once erased
    content_hash   BLOB    NOT NULL DEFAULT x'',  -- SHA-256; empty: never compared
    occurred_at    INTEGER,
    correlation_id TEXT    NOT NULL,
    causation_id   TEXT    NOT NULL DEFAULT '',
    actor          TEXT    NOT NULL DEFAULT '',
    tenant         TEXT    NOT NULL DEFAULT '',
    traceparent    TEXT    NOT NULL DEFAULT '',
    headers        TEXT    NOT NULL DEFAULT '',   -- a JSON object, or nothing
    recorded_at    INTEGER NOT NULL,
    redacted_at    INTEGER,
    UNIQUE (aggregate_type, aggregate_id, version)
) STRICT;
INSERT INTO recorded_events_now (position, aggregate_type, aggregate_id, version, event_id, event_type, data,
                                 correlation_id, actor, recorded_at)
    SELECT position, aggregate_type,
           lower(substr(hex(aggregate_id), 1, 8) || '-' || substr(hex(aggregate_id), 9, 4) || '-' ||
                 substr(hex(aggregate_id), 13, 4) || '-' || substr(hex(aggregate_id), 17, 4) || '-' ||
                 substr(hex(aggregate_id), 21)),
           version, event_id, event_type, data, correlation_id, actor, recorded_at
      FROM recorded_events ORDER BY position;
DROP TABLE recorded_events;
ALTER TABLE recorded_events_now RENAME TO recorded_events;

-- A user's stream ends with the user.
INSERT INTO streams (aggregate_type, aggregate_id, version, deleted_at)
    SELECT aggregate_type, aggregate_id, max(version),
           max(CASE WHEN event_type = 'UserDeleted' THEN recorded_at END)
      FROM recorded_events GROUP BY aggregate_type, aggregate_id;

CREATE TABLE snapshots (
    aggregate_type TEXT    NOT NULL,
    aggregate_id   TEXT    NOT NULL,
    version        INTEGER NOT NULL,  -- of the stream
    schema_version INTEGER NOT NULL,  -- of the state
    state          TEXT    NOT NULL,  -- JSON
    saved_at       INTEGER NOT NULL,
    PRIMARY KEY (aggregate_type, aggregate_id)
) STRICT, WITHOUT ROWID;
