-- A claim changes no column that stands in an index, so it writes no index entry (ADR 0027): the end
-- of its lease has a column of its own, and claimable_at stays what it was when the row was claimed.
-- Those of pull workers, whose claims last for hours, move it as before. What an instance of a
-- version that does not know this would write for its own claims is refused.
ALTER TABLE sundial.events ADD COLUMN lease_ends timestamptz;
ALTER TABLE sundial.events DROP CONSTRAINT events_leases_end;
UPDATE sundial.events
   SET lease_ends = claimable_at,
       claimable_at = CASE WHEN pull THEN claimable_at ELSE least(claimable_at, updated_at) END
 WHERE claimed_by IS NOT NULL;
ALTER TABLE sundial.events
    ADD CONSTRAINT events_leases_end
        CHECK (claimed_by IS NULL OR (lease_ends IS NOT NULL AND lease_ends < 'infinity')),
    ADD CONSTRAINT events_claims_leave_claimable_at
        CHECK (claimed_by IS NULL OR pull OR claimable_at <= updated_at);

-- Room on the page for the new row of every second claim at once.
ALTER TABLE sundial.events SET (fillfactor = 65);

-- Events that follow another release of the tz database, with those whose first try is under way.
DROP INDEX sundial.events_computed_with;
CREATE INDEX events_computed_with ON sundial.events (zone, tz_release, id)
    WHERE wall IS NOT NULL AND retry_of IS NULL AND retry_count = 0;

-- Lists by target. What was tried in vain lies apart: there may be a million of that.
DROP INDEX sundial.events_pending_by_due;
DROP INDEX sundial.events_under_way_by_due;
CREATE INDEX events_untried_by_due ON sundial.events (due, id) WHERE retry_count = 0;
CREATE INDEX events_retried_by_due ON sundial.events (due, id) WHERE retry_count > 0;

CREATE OR REPLACE VIEW sundial.v_events AS
    SELECT shard, id, status, priority,
           CASE WHEN claimed_by IS NULL THEN claimable_at ELSE lease_ends END AS claimable_at,
           claimed_by, worker,
           NULL::timestamptz AS finished_at, NULL::text AS reason, NULL::timestamptz AS dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, NULL::timestamptz AS executed_at,
           first_attempt_at - due - jitter AS lateness
      FROM sundial.events
    UNION ALL
    SELECT shard, id, status, priority, 'infinity', NULL, NULL,
           finished_at, reason, dismissed_at,
           version, attempt, retry_count, due, jitter, idempotency_key, event_type, user_id,
           endpoint_id, schedule_id, schedule_version, nominal, nominal_time, second_pass, origin,
           wall, zone, gap, overlap, tz_release, payload, retry_of, first_attempt_at, created_at,
           updated_at, CASE WHEN status <> 'CANCELLED' THEN finished_at END,
           first_attempt_at - due - jitter
      FROM sundial.event_history;
