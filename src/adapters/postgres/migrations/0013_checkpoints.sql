-- How far those who follow the feed have come, and what they have laid aside.
CREATE TABLE sundial.checkpoints (
    name          text COLLATE "C" PRIMARY KEY,
    position      bigint      NOT NULL DEFAULT 0,
    event_id      uuid,                             -- recorded at that position; null: nobody has said
    fencing_token bigint      NOT NULL DEFAULT 0,   -- the greatest that was ever shown or given
    holder        text        NOT NULL DEFAULT '',  -- who runs it; empty: nobody
    held_until    timestamptz NOT NULL DEFAULT 'epoch',
    version       bigint      NOT NULL DEFAULT 0    -- 0: locked by somebody who has not kept it
) WITH (fillfactor = 50);

CREATE TABLE sundial.parked_events (
    checkpoint text COLLATE "C" NOT NULL,
    position   bigint      NOT NULL,
    event_id   uuid        NOT NULL,
    reason     text        NOT NULL,  -- of the last try
    attempts   integer     NOT NULL,
    parked_at  timestamptz NOT NULL,
    PRIMARY KEY (checkpoint, position)
);

ANALYZE sundial.checkpoints, sundial.parked_events;
