-- Who may use the API. The secret itself is kept nowhere.
CREATE TABLE sundial.api_keys (
    id           uuid        NOT NULL PRIMARY KEY,
    name         text        NOT NULL,
    role         text        NOT NULL CHECK (role IN ('READ', 'WRITE', 'ADMIN')),
    secret_hash  bytea       NOT NULL CHECK (length(secret_hash) = 32),  -- SHA-256
    expires_at   timestamptz,
    last_used_at timestamptz,
    version      bigint      NOT NULL,
    created_at   timestamptz NOT NULL
);

-- Who made the change: 'key:' and a key's ten characters, or 'loopback', or nobody from outside.
ALTER TABLE sundial.recorded_events ADD COLUMN actor text NOT NULL DEFAULT '';

ANALYZE sundial.api_keys;
