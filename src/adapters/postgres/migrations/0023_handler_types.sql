-- The event types that each embedding instance has handlers for. The others leave due events of these types without an
-- endpoint to it (ADR 0034).
CREATE TABLE sundial.handler_types (
    instance_id uuid        NOT NULL,
    event_type  text        NOT NULL,
    until       timestamptz NOT NULL,
    PRIMARY KEY (instance_id, event_type)
);
