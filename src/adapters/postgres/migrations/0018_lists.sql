-- Lists of events, by target. One index for each standing, so that each finds its own rows however
-- many there are of the others; that of what waits costs a claim nothing (ADR 0023).
CREATE INDEX events_pending_by_due ON sundial.events (due, id) WHERE status = 'PENDING';
CREATE INDEX events_under_way_by_due ON sundial.events (due, id) WHERE status = 'PROCESSING';
CREATE INDEX event_history_by_due ON sundial.event_history (due, id);
CREATE INDEX event_history_cancelled_by_due ON sundial.event_history_done (due, id)
    WHERE status = 'CANCELLED';

-- Rows of the history lie in the order of their end, nearly: a few kilobytes find any stretch.
CREATE INDEX event_history_by_end ON sundial.event_history USING brin (finished_at)
    WITH (pages_per_range = 32, autosummarize = on);
