-- Who may use the API. The secret itself is kept nowhere.
CREATE TABLE api_keys (
    id           BLOB    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL,
    role         TEXT    NOT NULL CHECK (role IN ('READ', 'WRITE', 'ADMIN')),
    secret_hash  BLOB    NOT NULL CHECK (length(secret_hash) = 32),  -- SHA-256
    expires_at   INTEGER,
    last_used_at INTEGER,
    version      INTEGER NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;

-- Who made the change: 'key:' and a key's ten characters, or 'loopback', or nobody from outside.
ALTER TABLE recorded_events ADD COLUMN actor TEXT NOT NULL DEFAULT '';
