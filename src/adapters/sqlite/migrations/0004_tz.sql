-- Events that follow another release of the tz database, by what their instants were computed with:
-- each pair of zone and release is found in one step, however many events have it.
CREATE INDEX events_computed_with ON events (zone, tz_release, id)
    WHERE status = 'PENDING' AND wall IS NOT NULL AND retry_of IS NULL;

-- What each zone's clock shows from `since` on, by release: a zone whose number is the same under
-- another release moves no event.
CREATE TABLE tz_fingerprints (
    release     TEXT    NOT NULL,
    zone        TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    fingerprint INTEGER NOT NULL,
    PRIMARY KEY (release, zone)
) STRICT, WITHOUT ROWID;

-- Events that got another instant while their local time stayed. `version` is the event's, with it.
CREATE TABLE event_moves (
    event_id BLOB    NOT NULL,
    version  INTEGER NOT NULL,
    before   INTEGER NOT NULL,
    after    INTEGER NOT NULL,
    reason   TEXT    NOT NULL,
    moved_at INTEGER NOT NULL,
    PRIMARY KEY (event_id, version)
) STRICT, WITHOUT ROWID;
