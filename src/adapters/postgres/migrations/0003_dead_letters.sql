-- FAILED events that nobody has dismissed: people look at them, and metrics count them.
CREATE INDEX dead_letters ON sundial.event_history_failed (finished_at) WHERE dismissed_at IS NULL;
