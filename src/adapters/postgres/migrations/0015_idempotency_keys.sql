-- The answer to a request with an Idempotency-Key, for whoever asks again; committed with the request's effect.
CREATE TABLE sundial.idempotency_keys (
    tenant       text        COLLATE "C" NOT NULL,
    principal    text        COLLATE "C" NOT NULL,  -- who asked: the handle of an API key
    key          text        COLLATE "C" NOT NULL,
    fingerprint  bytea       NOT NULL,              -- SHA-256 of the request
    answer       bytea,                             -- null: there is none yet
    sealed       boolean     NOT NULL,              -- encrypted, as it shows a secret
    steps_done   integer     NOT NULL,
    progress     bytea       NOT NULL,              -- what the last step made
    attempt      integer     NOT NULL,
    leased_until timestamptz,                       -- without an answer: nobody else goes on before
    expires_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant, principal, key)
);
CREATE INDEX idempotency_keys_expiry ON sundial.idempotency_keys (expires_at);

ANALYZE sundial.idempotency_keys;
