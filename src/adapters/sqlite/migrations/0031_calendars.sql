-- Rights to read the iCalendar feed of a schedule, of a person, or of a schedule for a person (ADR 63). The token itself is kept
-- nowhere.
CREATE TABLE calendars (
    id          BLOB    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    schedule_id BLOB,
    user_id     BLOB,
    token_hash  BLOB    NOT NULL UNIQUE CHECK (length(token_hash) = 32),  -- SHA-256
    expires_at  INTEGER,
    version     INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    CONSTRAINT calendars_show_something CHECK (schedule_id IS NOT NULL OR user_id IS NOT NULL)
) STRICT;
CREATE INDEX calendars_by_creation ON calendars (created_at, id);
CREATE INDEX calendars_of_schedule ON calendars (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX calendars_of_user ON calendars (user_id) WHERE user_id IS NOT NULL;

-- Other programs delete users and schedules without their calendars.
CREATE TRIGGER calendars_go_with_users AFTER DELETE ON users BEGIN
    DELETE FROM calendars WHERE user_id = old.id;
END;
CREATE TRIGGER calendars_go_with_schedules AFTER DELETE ON schedules BEGIN
    DELETE FROM calendars WHERE schedule_id = old.id;
END;
