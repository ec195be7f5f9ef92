-- The answer to a request with an Idempotency-Key, for whoever asks again; committed with the request's effect.
CREATE TABLE idempotency_keys (
    tenant       TEXT    NOT NULL,
    principal    TEXT    NOT NULL,             -- who asked: the handle of an API key
    key          TEXT    NOT NULL,
    fingerprint  BLOB    NOT NULL,             -- SHA-256 of the request
    answer       BLOB,                         -- null: there is none yet
    sealed       INTEGER NOT NULL,             -- 1: encrypted, as it shows a secret
    steps_done   INTEGER NOT NULL,
    progress     BLOB    NOT NULL,             -- what the last step made
    attempt      INTEGER NOT NULL,
    leased_until INTEGER,                      -- without an answer: nobody else goes on before
    expires_at   INTEGER NOT NULL,
    PRIMARY KEY (tenant, principal, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);
