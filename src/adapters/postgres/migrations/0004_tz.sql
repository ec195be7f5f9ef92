-- Events that follow another release of the tz database, by what their instants were computed with:
-- each pair of zone and release is found in one step, however many events have it. A claim takes a
-- row out of it, and nothing else of an event's life touches it.
CREATE INDEX events_computed_with ON sundial.events (zone, tz_release, id)
    WHERE status = 'PENDING' AND wall IS NOT NULL AND retry_of IS NULL;

-- What each zone's clock shows from `since` on, by release: a zone whose number is the same under
-- another release moves no event.
CREATE TABLE sundial.tz_fingerprints (
    release     text        NOT NULL,
    zone        text        NOT NULL,
    since       timestamptz NOT NULL,
    fingerprint bigint      NOT NULL,
    PRIMARY KEY (release, zone)
);

-- Events that got another instant while their local time stayed. `version` is the event's, with it.
CREATE TABLE sundial.event_moves (
    shard    smallint    NOT NULL,
    event_id uuid        NOT NULL,
    version  bigint      NOT NULL,
    before   timestamptz NOT NULL,
    after    timestamptz NOT NULL,
    reason   text        NOT NULL,
    moved_at timestamptz NOT NULL,
    PRIMARY KEY (shard, event_id, version)
);

ANALYZE sundial.tz_fingerprints, sundial.event_moves;
