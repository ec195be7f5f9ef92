-- Rights to read the iCalendar feed of a schedule, of a person, or of a schedule for a person (ADR 63). The token itself is kept
-- nowhere. Like all tables for people it lies on one node where events are distributed.
CREATE TABLE sundial.calendars (
    id          uuid        PRIMARY KEY,
    name        text        NOT NULL,
    schedule_id uuid,
    user_id     uuid,
    token_hash  bytea       NOT NULL UNIQUE CHECK (length(token_hash) = 32),  -- SHA-256
    expires_at  timestamptz,
    version     bigint      NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT calendars_show_something CHECK (schedule_id IS NOT NULL OR user_id IS NOT NULL)
);
CREATE INDEX calendars_by_creation ON sundial.calendars (created_at, id);
CREATE INDEX calendars_of_schedule ON sundial.calendars (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX calendars_of_user ON sundial.calendars (user_id) WHERE user_id IS NOT NULL;

-- Instances of the version before, and the functions for SQL, delete users and schedules without their calendars.
CREATE FUNCTION sundial.remove_calendars_of_users() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM sundial.calendars USING gone WHERE calendars.user_id = gone.id;
    RETURN NULL;
END $$;
CREATE FUNCTION sundial.remove_calendars_of_schedules() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM sundial.calendars USING gone WHERE calendars.schedule_id = gone.id;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION sundial.remove_calendars_of_users(), sundial.remove_calendars_of_schedules() FROM PUBLIC;
CREATE TRIGGER calendars_go_with_users AFTER DELETE ON sundial.users
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION sundial.remove_calendars_of_users();
CREATE TRIGGER calendars_go_with_schedules AFTER DELETE ON sundial.schedules
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION sundial.remove_calendars_of_schedules();

-- The streams that record changes of calendars are Sundial's own.
DO $do$
DECLARE
    source CONSTANT text := pg_get_functiondef('sundial.append(text, text, bigint, jsonb)'::regprocedure);
    was    CONSTANT text := $$'ApiKey', 'EventAudit', 'OperationAudit')$$;
BEGIN
    IF length(source) - length(replace(source, was, '')) <> length(was) THEN
        RAISE EXCEPTION 'sundial.append does not have this text once: %', was;
    END IF;
    EXECUTE replace(source, was, $$'ApiKey', 'Calendar', 'EventAudit', 'OperationAudit')$$);
END $do$;

ANALYZE sundial.calendars;
