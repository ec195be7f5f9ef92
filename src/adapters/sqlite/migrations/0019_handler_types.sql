-- The event types that each embedding instance has handlers for. The others leave due events of these types without an
-- endpoint to it (ADR 0034).
CREATE TABLE handler_types (
    instance_id BLOB    NOT NULL,
    event_type  TEXT    NOT NULL,
    until       INTEGER NOT NULL,
    PRIMARY KEY (instance_id, event_type)
) STRICT, WITHOUT ROWID;
