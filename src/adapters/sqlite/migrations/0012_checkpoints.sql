-- How far those who follow the feed have come, and what they have laid aside.
CREATE TABLE checkpoints (
    name          TEXT    PRIMARY KEY NOT NULL,
    position      INTEGER NOT NULL,
    event_id      BLOB,                -- recorded at that position; null: nobody has said
    fencing_token INTEGER NOT NULL,    -- the greatest that was ever shown or given
    holder        TEXT    NOT NULL,    -- who runs it; empty: nobody
    held_until    INTEGER NOT NULL,
    version       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE parked_events (
    checkpoint TEXT    NOT NULL,
    position   INTEGER NOT NULL,
    event_id   BLOB    NOT NULL,
    reason     TEXT    NOT NULL,  -- of the last try
    attempts   INTEGER NOT NULL,
    parked_at  INTEGER NOT NULL,
    PRIMARY KEY (checkpoint, position)
) STRICT, WITHOUT ROWID;
