-- A lock by name, for ever: its fencing token outlives every holder. A renewal changes no column of the key, so
-- it passes by transactions that hold the row FOR KEY SHARE; a grant locks it FOR UPDATE and waits for them.
CREATE TABLE sundial.locks (
    name          text COLLATE "C" PRIMARY KEY,
    fencing_token bigint      NOT NULL,  -- the greatest that was ever given, or seen by what it guards
    token_hash    bytea       NOT NULL,  -- SHA-256 of the holder's lock token; empty: nobody has it
    holder        text        NOT NULL,
    acquired_at   timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX locks_held ON sundial.locks (name) WHERE token_hash <> '';
ANALYZE sundial.locks;
