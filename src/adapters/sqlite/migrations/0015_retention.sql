-- By which retention finds what is old. All three grow at their end.
CREATE INDEX event_history_finished ON event_history (finished_at);
CREATE INDEX attempts_recorded ON attempts (recorded_at);
CREATE INDEX event_keys_expiry ON event_keys (expires_at);
