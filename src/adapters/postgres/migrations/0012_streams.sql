-- Streams for everybody, not only for the changes of users, schedules and endpoints: aggregates have ids of any
-- text, and each stream a head.
CREATE TABLE sundial.streams (
    aggregate_type   text COLLATE "C" NOT NULL,
    aggregate_id     text COLLATE "C" NOT NULL,
    version          bigint NOT NULL,            -- events ever appended
    truncated_before bigint NOT NULL DEFAULT 0,  -- payloads below are erased
    archived_at      timestamptz,
    deleted_at       timestamptz,
    PRIMARY KEY (aggregate_type, aggregate_id)
) WITH (fillfactor = 70);

ALTER TABLE sundial.recorded_events
    ALTER aggregate_type TYPE text COLLATE "C",
    ALTER aggregate_id TYPE text COLLATE "C" USING aggregate_id::text,
    ADD schema_version integer NOT NULL DEFAULT 1,
    ADD content_hash   bytea   NOT NULL DEFAULT '',  -- SHA-256; empty: never compared
    ADD occurred_at    timestamptz,
    ADD causation_id   text    NOT NULL DEFAULT '',
    ADD tenant         text    NOT NULL DEFAULT '',
    ADD traceparent    text    NOT NULL DEFAULT '',
    ADD headers        text    NOT NULL DEFAULT '',  -- a JSON object, or nothing
    ADD redacted_at    timestamptz;

-- A user's stream ends with the user.
INSERT INTO sundial.streams (aggregate_type, aggregate_id, version, deleted_at)
    SELECT aggregate_type, aggregate_id, max(version),
           max(recorded_at) FILTER (WHERE event_type = 'UserDeleted')
      FROM sundial.recorded_events GROUP BY aggregate_type, aggregate_id;

CREATE TABLE sundial.snapshots (
    aggregate_type text        COLLATE "C" NOT NULL,
    aggregate_id   text        COLLATE "C" NOT NULL,
    version        bigint      NOT NULL,  -- of the stream
    schema_version integer     NOT NULL,  -- of the state
    state          text        NOT NULL,  -- JSON
    saved_at       timestamptz NOT NULL,
    PRIMARY KEY (aggregate_type, aggregate_id)
);

ANALYZE sundial.streams, sundial.recorded_events, sundial.snapshots;
