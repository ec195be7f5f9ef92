-- Lists of events, by target. One index for each standing, so that each finds its own rows however
-- many there are of the others.
CREATE INDEX events_pending_by_due ON events (due, id) WHERE status = 'PENDING';
CREATE INDEX events_under_way_by_due ON events (due, id) WHERE status = 'PROCESSING';
CREATE INDEX event_history_completed_by_due ON event_history (due, id) WHERE status = 'COMPLETED';
CREATE INDEX event_history_others_by_due ON event_history (due, id) WHERE status <> 'COMPLETED';
