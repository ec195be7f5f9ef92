-- Browsers that have logged in with an API key. token_hash: of the token in the browser's cookie, SHA-256. A session has the
-- rights of its key, which is looked up at each request.
CREATE TABLE sundial.browser_sessions (
    token_hash bytea       PRIMARY KEY,
    handle     text        NOT NULL,  -- of the key
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
