-- The streams with the actions of callers on endpoints and instances are Sundial's own.
DO $do$
DECLARE
    source CONSTANT text := pg_get_functiondef('sundial.append(text, text, bigint, jsonb)'::regprocedure);
    was    CONSTANT text := $$'EventAudit', 'OperationAudit')$$;
BEGIN
    IF length(source) - length(replace(source, was, '')) <> length(was) THEN
        RAISE EXCEPTION 'sundial.append does not have this text once: %', was;
    END IF;
    EXECUTE replace(source, was, $$'EventAudit', 'OperationAudit', 'EndpointAudit', 'InstanceAudit')$$);
END $do$;
