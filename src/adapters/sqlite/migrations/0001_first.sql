-- The first schema. Instants and durations are microseconds (of UTC, since 1970), 9223372036854775807
-- is "never"; ids are 16 bytes. Values of this migration, from whoever runs it, lie in the temporary
-- table `given`: clock (system or test), now, birthday_time (HH:MM).

-- What the database knows of itself:
--   clock       system, or test: then time stands still until it is moved
--   time        the latest time stored, which the clock never goes below; or the test clock's
--   leases_end  the latest end of a lease ever given
--   clean_stop  whether whoever had the file last has closed it
CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value ANY  NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO settings VALUES
    ('clock', (SELECT value FROM given WHERE name = 'clock')),
    ('time', (SELECT value FROM given WHERE name = 'now')),
    ('leases_end', 0),
    ('clean_stop', 1);

CREATE TABLE users (
    id            BLOB    NOT NULL PRIMARY KEY,
    external_id   TEXT    UNIQUE,
    first_name    TEXT    NOT NULL,
    last_name     TEXT    NOT NULL,
    date_of_birth TEXT    NOT NULL,  -- YYYY-MM-DD
    timezone      TEXT    NOT NULL,
    dates         TEXT    NOT NULL,  -- JSON: name -> "YYYY-MM-DD"
    metadata      TEXT    NOT NULL,  -- JSON: name -> text
    version       INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX users_by_creation ON users (created_at, id);

CREATE TABLE schedules (
    id              BLOB    NOT NULL PRIMARY KEY,
    external_id     TEXT    UNIQUE,
    event_type      TEXT    NOT NULL,
    priority        INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),
    enabled         INTEGER NOT NULL,
    note            TEXT,
    yearly_on       TEXT    NOT NULL,  -- dateOfBirth, a name of users.dates, or MM-DD
    yearly_at       TEXT    NOT NULL,  -- HH:MM[:SS]
    endpoint_id     BLOB,
    payload         TEXT    NOT NULL,  -- JSON template
    gap             TEXT    NOT NULL,
    overlap         TEXT    NOT NULL,
    leap            TEXT    NOT NULL,
    version         INTEGER NOT NULL,
    planned_version INTEGER NOT NULL CHECK (planned_version <= version),
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE endpoints (
    id                  BLOB    NOT NULL PRIMARY KEY,
    external_id         TEXT    UNIQUE,
    name                TEXT    NOT NULL,
    type                TEXT    NOT NULL,
    url                 TEXT    NOT NULL,
    headers             TEXT    NOT NULL,  -- JSON: [[name, value], …]
    timeout             INTEGER NOT NULL,  -- seconds
    retry_policy        TEXT    NOT NULL,
    retry_delays        TEXT    NOT NULL,  -- JSON: seconds, of a custom policy
    retry_client_errors INTEGER NOT NULL,
    enabled             INTEGER NOT NULL,
    disabled_reason     TEXT,
    sealed_secret       BLOB    NOT NULL,
    secret_hint         TEXT    NOT NULL,
    version             INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL
) STRICT;
CREATE INDEX endpoints_by_creation ON endpoints (created_at, id);

-- Live events only: PENDING, and PROCESSING that is claimed (claimed_by; claimable_at is the end of
-- the lease) or waits (claimable_at is the next try, "never" while parked).
-- There is one shard here, 0.
CREATE TABLE events (
    id               BLOB    NOT NULL PRIMARY KEY,
    shard            INTEGER NOT NULL DEFAULT 0,
    status           TEXT    NOT NULL,
    priority         INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 3),  -- 0 is CRITICAL
    claimable_at     INTEGER NOT NULL,  -- when a scheduler must look at this row again
    claimed_by       BLOB,
    version          INTEGER NOT NULL,
    attempt          INTEGER NOT NULL,
    retry_count      INTEGER NOT NULL,
    due              INTEGER NOT NULL,
    first_attempt_at INTEGER,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    idempotency_key  TEXT    NOT NULL,
    event_type       TEXT    NOT NULL,
    user_id          BLOB,
    endpoint_id      BLOB,
    schedule_id      BLOB,
    schedule_version INTEGER,
    nominal          TEXT,     -- which occurrence of the schedule: the local date
    wall             INTEGER,  -- as asked, if it was asked in local time: microseconds of that clock
    zone             TEXT    NOT NULL,
    gap              TEXT    NOT NULL,
    overlap          TEXT    NOT NULL,
    tz_release       TEXT    NOT NULL,
    retry_of         BLOB,
    payload          TEXT    NOT NULL,  -- the exact text received
    CONSTRAINT events_are_live CHECK (status IN ('PENDING', 'PROCESSING')),
    CONSTRAINT events_pending_are_free CHECK (status = 'PROCESSING' OR claimed_by IS NULL),
    CONSTRAINT events_leases_end CHECK (claimed_by IS NULL OR claimable_at < 9223372036854775807),
    CONSTRAINT events_occurrences_are_whole
        CHECK ((schedule_id IS NULL) = (nominal IS NULL)
           AND (schedule_id IS NULL) = (schedule_version IS NULL))
) STRICT;
-- The one index that scheduling needs.
CREATE INDEX events_to_claim ON events (shard, priority, claimable_at);
-- Look-ups, by columns that no transition changes.
CREATE INDEX events_of_user ON events (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX events_of_schedule ON events (schedule_id, id) WHERE schedule_id IS NOT NULL;
CREATE INDEX events_of_endpoint ON events (endpoint_id) WHERE endpoint_id IS NOT NULL;

-- Finished events, append-only but for dismissal and erasure with the user.
CREATE TABLE event_history (
    id               BLOB    NOT NULL PRIMARY KEY,
    shard            INTEGER NOT NULL DEFAULT 0,
    status           TEXT    NOT NULL CHECK (status IN ('COMPLETED', 'FAILED', 'CANCELLED')),
    priority         INTEGER NOT NULL,
    finished_at      INTEGER NOT NULL,
    reason           TEXT,     -- of FAILED and CANCELLED
    settled_by       BLOB,     -- the instance; empty if CANCELLED
    started_at       INTEGER,  -- of the last try; empty if none was sent
    duration         INTEGER,
    status_code      INTEGER,
    dismissed_at     INTEGER,
    version          INTEGER NOT NULL,
    attempt          INTEGER NOT NULL,
    retry_count      INTEGER NOT NULL,
    due              INTEGER NOT NULL,
    first_attempt_at INTEGER,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    idempotency_key  TEXT    NOT NULL,
    event_type       TEXT    NOT NULL,
    user_id          BLOB,
    endpoint_id      BLOB,
    schedule_id      BLOB,
    schedule_version INTEGER,
    nominal          TEXT,
    wall             INTEGER,
    zone             TEXT    NOT NULL,
    gap              TEXT    NOT NULL,
    overlap          TEXT    NOT NULL,
    tz_release       TEXT    NOT NULL,
    retry_of         BLOB,
    payload          TEXT    NOT NULL
) STRICT;
CREATE INDEX event_history_of_user ON event_history (user_id) WHERE user_id IS NOT NULL;

-- How many events there are, by what they do, so that nobody has to count millions. Kept by every
-- transaction that changes it.
CREATE TABLE event_counts (
    standing TEXT    NOT NULL PRIMARY KEY,
    rows     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO event_counts VALUES
    ('PENDING', 0), ('PENDING_PARKED', 0), ('CLAIMED', 0), ('WAITING', 0), ('WAITING_PARKED', 0),
    ('COMPLETED', 0), ('FAILED', 0), ('CANCELLED', 0);

-- Each idempotency key and its current event. Whether the key is taken follows from where that event
-- lies.
CREATE TABLE event_keys (
    key        TEXT    NOT NULL PRIMARY KEY,
    shard      INTEGER NOT NULL DEFAULT 0,
    event_id   BLOB    NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Tries worth reading. A success is told by its history row.
CREATE TABLE attempts (
    event_id      BLOB    NOT NULL,
    number        INTEGER NOT NULL,
    shard         INTEGER NOT NULL DEFAULT 0,
    outcome       TEXT    NOT NULL,
    endpoint_id   BLOB,
    started_at    INTEGER,
    duration      INTEGER NOT NULL,
    status_code   INTEGER,
    error_code    TEXT    NOT NULL,
    error_text    TEXT    NOT NULL,
    response_body BLOB    NOT NULL,  -- whatever came back
    instance_id   BLOB,
    recorded_at   INTEGER NOT NULL,
    PRIMARY KEY (event_id, number)
) STRICT;

-- Streams: the facts of users, schedules and endpoints, one for each change.
CREATE TABLE recorded_events (
    position       INTEGER PRIMARY KEY AUTOINCREMENT,
    aggregate_type TEXT    NOT NULL,
    aggregate_id   BLOB    NOT NULL,
    version        INTEGER NOT NULL,
    event_id       BLOB    NOT NULL UNIQUE,
    event_type     TEXT    NOT NULL,
    data           TEXT,  -- a JSON object; null once erased
    correlation_id TEXT    NOT NULL,
    recorded_at    INTEGER NOT NULL,
    UNIQUE (aggregate_type, aggregate_id, version)
) STRICT;

CREATE TABLE inbox_requests (
    endpoint_id BLOB    NOT NULL,
    id          BLOB    NOT NULL,
    received_at INTEGER NOT NULL,
    headers     TEXT    NOT NULL,  -- JSON: [[name, value], …]
    body        BLOB    NOT NULL,
    PRIMARY KEY (endpoint_id, id)
) STRICT;

-- Live and finished events together: what lists read, and people.
CREATE VIEW v_events AS
    SELECT id, status, priority, claimable_at, claimed_by,
           NULL AS finished_at, NULL AS reason, NULL AS dismissed_at,
           version, attempt, retry_count, due, first_attempt_at, created_at, updated_at,
           idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
           wall, zone, gap, overlap, tz_release, retry_of, payload,
           NULL AS executed_at, first_attempt_at - due AS lateness
      FROM events
    UNION ALL
    SELECT id, status, priority, 9223372036854775807, NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, first_attempt_at, created_at, updated_at,
           idempotency_key, event_type, user_id, endpoint_id, schedule_id, schedule_version, nominal,
           wall, zone, gap, overlap, tz_release, retry_of, payload,
           CASE WHEN status <> 'CANCELLED' THEN finished_at END, first_attempt_at - due
      FROM event_history;

-- The schedule that every database has, everywhere under the same id.
INSERT INTO schedules
    SELECT x'01990000000070008000000000000001', 'birthday', 'BIRTHDAY', 2, 1, NULL, 'dateOfBirth',
           (SELECT value FROM given WHERE name = 'birthday_time'), NULL,
           '{"message":"Hey, {firstName} {lastName} it''s your birthday"}',
           'compatible', 'compatible', 'feb28', 1, 1, now.value, now.value
      FROM given AS now WHERE name = 'now';
