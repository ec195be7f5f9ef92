-- Browsers that have logged in with an API key. token_hash: of the token in the browser's cookie, SHA-256. A session has the
-- rights of its key, which is looked up at each request.
CREATE TABLE browser_sessions (
    token_hash BLOB    NOT NULL PRIMARY KEY,
    handle     TEXT    NOT NULL,  -- of the key
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
