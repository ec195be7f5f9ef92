-- W3C traceparent of the request that created the event; null: it had none.
ALTER TABLE events ADD COLUMN traceparent TEXT;
ALTER TABLE event_history ADD COLUMN traceparent TEXT;

-- Where to report that an event of the schedule has completed; null: nowhere.
ALTER TABLE schedules ADD COLUMN ping_url TEXT;
