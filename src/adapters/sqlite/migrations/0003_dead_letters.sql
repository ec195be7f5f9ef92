-- FAILED events that nobody has dismissed: people look at them, and metrics count them.
CREATE INDEX dead_letters ON event_history (finished_at) WHERE status = 'FAILED' AND dismissed_at IS NULL;
