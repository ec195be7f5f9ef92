-- Outboxes of applications (storage.intake): how far each has come. An application's row counts as taken once its id is in
-- `outbox_taken`, which has ranges that never touch each other. The transaction that carries a row out writes its id. The
-- tables are small and lie on one node where events are distributed.
CREATE TABLE sundial.outboxes (
    name        text        PRIMARY KEY,
    source      text        NOT NULL,  -- the place of the table, without credentials
    failure     text        NOT NULL,  -- why it cannot be read; empty: it can
    changed_at  timestamptz NOT NULL,  -- since when
    taken       bigint      NOT NULL,
    refused     bigint      NOT NULL,
    last_id     bigint,
    taken_at    timestamptz,
    followed_by uuid,
    lease_ends  timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- The last range of each outbox grows with every batch. Half of each page is free, so that this writes no index entry.
CREATE TABLE sundial.outbox_taken (
    intake     text        NOT NULL,
    first_id   bigint      NOT NULL,
    last_id    bigint      NOT NULL CHECK (last_id >= first_id),
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (intake, first_id)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.1);

-- Until the application deletes the row.
CREATE TABLE sundial.outbox_refused (
    intake     text        NOT NULL,
    id         bigint      NOT NULL,
    kind       text        NOT NULL,  -- event, schedule, user; empty: another
    code       text        NOT NULL,
    detail     text        NOT NULL,
    errors     jsonb       NOT NULL,
    refused_at timestamptz NOT NULL,
    PRIMARY KEY (intake, id)
);

-- Requests by SQL that wait for a server, or were refused by one; outboxes; and their rows that were refused.
CREATE OR REPLACE VIEW sundial.v_intake AS
    SELECT number, kind, subject, data ->> 'name' AS name, CASE WHEN failed_at IS NULL THEN 'WAITING' ELSE 'FAILED' END AS status,
           code, detail, actor, asked_at, failed_at, NULL::text AS intake, NULL::bigint AS row_id, NULL::bigint AS taken,
           NULL::bigint AS refused, NULL::bigint AS last_id, NULL::timestamptz AS taken_at, NULL::jsonb AS errors
      FROM sundial.intake WHERE NOT done
    UNION ALL
    SELECT NULL, 'OUTBOX', NULL, name,
           CASE WHEN failure <> '' THEN 'LOST' WHEN lease_ends > sundial.clock() THEN 'FOLLOWED' ELSE 'IDLE' END,
           NULL, nullif(failure, ''), NULL, changed_at, NULL, name, NULL, taken, refused, last_id, taken_at, NULL
      FROM sundial.outboxes
    UNION ALL
    SELECT NULL, upper(kind), NULL, intake, 'FAILED', code, detail, 'outbox:' || intake, NULL, refused_at, intake, id, NULL,
           NULL, NULL, NULL, errors
      FROM sundial.outbox_refused;
