-- A lock by name, for ever: its fencing token outlives every holder.
CREATE TABLE locks (
    name          TEXT    NOT NULL PRIMARY KEY,
    fencing_token INTEGER NOT NULL,  -- the greatest that was ever given, or seen by what it guards
    token_hash    BLOB    NOT NULL,  -- SHA-256 of the holder's lock token; empty: nobody has it
    holder        TEXT    NOT NULL,
    acquired_at   INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX locks_held ON locks (name) WHERE token_hash <> x'';
