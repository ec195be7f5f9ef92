-- Appends in the caller's transaction. Until that ends, the feed waits at the positions of its events (ADR 0018), so a
-- transaction appends late and ends soon.

-- The canonical text of a JSON value, as the API computes it: no white space, members in the order of their bytes. Numbers are
-- as jsonb writes them, which is how they are stored.
CREATE FUNCTION sundial.canonical(value jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    CASE jsonb_typeof(value)
        WHEN 'object' THEN
            RETURN '{' || coalesce((SELECT string_agg(to_json(member.key)::text || ':' || sundial.canonical(member.value), ','
                                                      ORDER BY member.key COLLATE "C")
                                      FROM jsonb_each(value) AS member), '') || '}';
        WHEN 'array' THEN
            RETURN '[' || coalesce((SELECT string_agg(sundial.canonical(item.value), ',' ORDER BY item.place)
                                      FROM jsonb_array_elements(value) WITH ORDINALITY AS item(value, place)), '') || ']';
        ELSE
            RETURN value::text;
    END CASE;
END $$;

-- expected_version: a version, -1 any, 0 no stream, -2 the stream exists. events: an array in the form of the API. The same
-- batch again is a replay and returns its first result.
CREATE FUNCTION sundial.append(aggregate_type text, aggregate_id text, expected_version bigint, events jsonb)
    RETURNS TABLE (first_version bigint, last_version bigint, first_position bigint, last_position bigint,
                   current_version bigint, replayed boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    now      CONSTANT timestamptz := sundial.clock();
    size     integer;
    item     record;
    unknown  text;
    total    bigint := 0;
    head     sundial.streams;
    batch    jsonb[] := '{}';  -- {id, type, schema, data, hash, metadata} of each event
    ids      uuid[];
    id       uuid;
    reused   jsonb;
    known    integer;
    mark     text;
BEGIN
    IF append.aggregate_type IS NULL OR append.aggregate_type !~ '^[A-Za-z0-9_.-]{1,128}$' THEN
        PERFORM sundial.refuse_field('/aggregateType', 'bad_format', 'must be 1 to 128 of A-Z a-z 0-9 _ . -');
    ELSIF append.aggregate_type IN ('User', 'Schedule', 'Endpoint', 'ApiKey') THEN
        PERFORM sundial.refuse_field('/aggregateType', 'not_allowed',
            format('streams of %s are reserved: Sundial writes them when the object changes', append.aggregate_type));
    ELSIF append.aggregate_id IS NULL OR octet_length(append.aggregate_id) NOT BETWEEN 1 AND 255 OR append.aggregate_id ~ '[\u0001-\u001f\u007f]' THEN
        PERFORM sundial.refuse_field('/aggregateId', 'bad_format', 'must be 1 to 255 bytes of UTF-8 without control characters');
    ELSIF append.expected_version IS NULL OR append.expected_version < -2 THEN
        PERFORM sundial.refuse_field('/expectedVersion', 'out_of_range', 'must be a version, -1 (any), 0 (no stream) or -2 (the stream exists)');
    ELSIF jsonb_typeof(append.events) IS DISTINCT FROM 'array' THEN
        PERFORM sundial.refuse_field('/events', 'wrong_type', 'must be an array');
    END IF;
    size := jsonb_array_length(append.events);
    IF size = 0 THEN
        PERFORM sundial.refuse_field('/events', 'required', 'an append has at least one event');
    ELSIF size > 1000 THEN
        PERFORM sundial.refuse('SD413', 'PAYLOAD_TOO_LARGE', '{"limit": 1000, "index": 1000}', 'an append has at most 1000 events');
    END IF;
    FOR item IN SELECT one.value AS event, one.place - 1 AS place,
                       coalesce(one.value -> 'data', 'null') AS data, coalesce(one.value -> 'metadata', '{}') AS metadata
                  FROM jsonb_array_elements(append.events) WITH ORDINALITY AS one(value, place) LOOP
        mark := '/events/' || item.place;
        IF jsonb_typeof(item.event) <> 'object' OR jsonb_typeof(item.metadata) <> 'object' THEN
            PERFORM sundial.refuse_field(mark, 'wrong_type', 'must be an object, and so must its metadata');
        END IF;
        SELECT min(key) INTO unknown FROM jsonb_object_keys(item.event) AS key
         WHERE key NOT IN ('eventId', 'eventType', 'schemaVersion', 'data', 'metadata');
        IF unknown IS NULL THEN
            SELECT 'metadata/' || min(key) INTO unknown FROM jsonb_object_keys(item.metadata) AS key
             WHERE key NOT IN ('occurredAt', 'correlationId', 'causationId', 'actor', 'tenant', 'traceparent', 'headers');
        END IF;
        IF unknown IS NOT NULL THEN
            PERFORM sundial.refuse_field(mark || '/' || unknown, 'unknown_member', 'is no member of an event');
        ELSIF coalesce(item.event ->> 'eventType', '') !~ '^[A-Za-z0-9_.-]{1,128}$' THEN
            PERFORM sundial.refuse_field(mark || '/eventType', 'bad_format', 'must be 1 to 128 of A-Z a-z 0-9 _ . -');
        ELSIF coalesce(item.event ->> 'schemaVersion', '1') !~ '^[1-9]\d{0,8}$' THEN
            PERFORM sundial.refuse_field(mark || '/schemaVersion', 'out_of_range', 'must be a whole number from 1');
        ELSIF item.event ->> 'eventId' !~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' THEN
            PERFORM sundial.refuse_field(mark || '/eventId', 'bad_format', 'is not a UUID');
        ELSIF jsonb_typeof(item.metadata -> 'headers') <> 'object' THEN
            PERFORM sundial.refuse_field(mark || '/metadata/headers', 'bad_format', 'is not a JSON object');
        ELSIF octet_length(item.data::text) > 262144 THEN
            PERFORM sundial.refuse('SD413', 'PAYLOAD_TOO_LARGE', jsonb_build_object('limit', 262144, 'index', item.place),
                                   format('event %s has a payload of more than 262144 bytes', item.place));
        ELSIF octet_length(item.metadata::text) > 16384 THEN
            PERFORM sundial.refuse('SD413', 'PAYLOAD_TOO_LARGE', jsonb_build_object('limit', 16384, 'index', item.place),
                                   format('event %s has metadata of more than 16384 bytes', item.place));
        END IF;
        IF item.metadata ->> 'occurredAt' IS NOT NULL THEN
            BEGIN
                IF item.metadata ->> 'occurredAt' !~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$'
                   OR (item.metadata ->> 'occurredAt')::timestamptz IS NULL THEN
                    RAISE datetime_field_overflow;
                END IF;
            EXCEPTION WHEN data_exception THEN
                PERFORM sundial.refuse_field(mark || '/metadata/occurredAt', 'bad_time', 'must be an RFC 3339 time');
            END;
        END IF;
        total := total + octet_length(item.data::text);
        IF total > 4194304 THEN
            PERFORM sundial.refuse('SD413', 'PAYLOAD_TOO_LARGE', jsonb_build_object('limit', 4194304, 'index', item.place),
                                   'the payloads of an append have at most 4194304 bytes');
        END IF;
        id := coalesce((item.event ->> 'eventId')::uuid, sundial.new_id());
        IF id = ANY (ids) THEN
            PERFORM sundial.refuse('SD422', 'EVENT_ID_REUSED',
                jsonb_build_object('conflicts', jsonb_build_array(jsonb_build_object('eventId', id, 'reason', 'IN_BATCH'))),
                format('event id %s is given twice', id));
        END IF;
        ids := ids || id;
        batch := array_append(batch, jsonb_build_object(
            'id', id, 'type', item.event ->> 'eventType', 'schema', coalesce(item.event ->> 'schemaVersion', '1')::integer,
            'data', item.data::text, 'metadata', item.metadata,
            'hash', encode(sha256(convert_to((item.event ->> 'eventType') || chr(10) || coalesce(item.event ->> 'schemaVersion', '1')
                                             || chr(10) || sundial.canonical(item.data), 'UTF8')), 'hex')));
    END LOOP;

    INSERT INTO sundial.streams (aggregate_type, aggregate_id, version)
    VALUES (append.aggregate_type, append.aggregate_id, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO head FROM sundial.streams
     WHERE aggregate_type = append.aggregate_type AND aggregate_id = append.aggregate_id FOR UPDATE;
    IF head.deleted_at IS NOT NULL THEN
        PERFORM sundial.refuse('SD410', 'STREAM_DELETED',
            jsonb_build_object('aggregateType', append.aggregate_type, 'aggregateId', append.aggregate_id), 'the stream was deleted');
    END IF;
    SELECT count(*) INTO known FROM sundial.recorded_events WHERE event_id = ANY (ids);
    IF known > 0 THEN
        -- The same events in the same stream, in the same order and without a gap: a replay.
        SELECT min(its.version), max(its.version), min(its.position), max(its.position)
          INTO first_version, last_version, first_position, last_position
          FROM unnest(batch) WITH ORDINALITY AS one(event, place)
          JOIN sundial.recorded_events AS its
            ON its.event_id = (one.event ->> 'id')::uuid AND its.aggregate_type = append.aggregate_type
           AND its.aggregate_id = append.aggregate_id AND encode(its.content_hash, 'hex') = one.event ->> 'hash'
        HAVING count(*) = size AND count(DISTINCT its.version - one.place) = 1;
        IF NOT FOUND THEN
            SELECT jsonb_agg(jsonb_build_object(
                       'eventId', its.event_id,
                       'reason', CASE WHEN (its.aggregate_type, its.aggregate_id) <> (append.aggregate_type, append.aggregate_id) THEN 'OTHER_STREAM'
                                      WHEN encode(its.content_hash, 'hex') <> one.event ->> 'hash' THEN 'DIFFERENT_CONTENT'
                                      WHEN known < size THEN 'PARTIAL' ELSE 'DIFFERENT_ORDER' END,
                       'stream', its.aggregate_type || '/' || its.aggregate_id, 'version', its.version) ORDER BY one.place)
              INTO reused
              FROM unnest(batch) WITH ORDINALITY AS one(event, place)
              JOIN sundial.recorded_events AS its ON its.event_id = (one.event ->> 'id')::uuid;
            PERFORM sundial.refuse('SD422', 'EVENT_ID_REUSED', jsonb_build_object('conflicts', reused), 'event ids belong to other events');
        ELSIF append.expected_version >= 0 AND append.expected_version + 1 <> first_version THEN
            PERFORM sundial.refuse('SD409', 'OPTIMISTIC_LOCK',
                jsonb_build_object('aggregateType', append.aggregate_type, 'aggregateId', append.aggregate_id,
                    'expectedVersion', append.expected_version, 'actualVersion', head.version, 'duplicateEventIds', to_jsonb(ids)),
                format('the stream is at version %s', head.version));
        END IF;
        current_version := head.version;
        replayed := true;
        RETURN NEXT;
        RETURN;
    ELSIF head.archived_at IS NOT NULL THEN
        PERFORM sundial.refuse('SD409', 'STREAM_ARCHIVED',
            jsonb_build_object('aggregateType', append.aggregate_type, 'aggregateId', append.aggregate_id), 'the stream is archived');
    ELSIF (append.expected_version >= 0 AND head.version <> append.expected_version) OR (append.expected_version = -2 AND head.version = 0) THEN
        PERFORM sundial.refuse('SD409', 'OPTIMISTIC_LOCK',
            jsonb_build_object('aggregateType', append.aggregate_type, 'aggregateId', append.aggregate_id,
                'expectedVersion', append.expected_version, 'actualVersion', head.version),
            format('the stream is at version %s', head.version));
    END IF;

    PERFORM pg_advisory_xact_lock_shared(1398097478, hashtext(append.aggregate_type || '/' || append.aggregate_id) & 15);
    UPDATE sundial.streams SET version = head.version + size
     WHERE aggregate_type = append.aggregate_type AND aggregate_id = append.aggregate_id;
    WITH written AS (
        INSERT INTO sundial.recorded_events
            (aggregate_type, aggregate_id, version, recorded_at, event_id, event_type, schema_version, data, content_hash,
             occurred_at, correlation_id, causation_id, actor, tenant, traceparent, headers)
        SELECT append.aggregate_type, append.aggregate_id, head.version + one.place, now, (one.event ->> 'id')::uuid,
               one.event ->> 'type', (one.event ->> 'schema')::integer, one.event ->> 'data', decode(one.event ->> 'hash', 'hex'),
               (one.event -> 'metadata' ->> 'occurredAt')::timestamptz,
               coalesce(nullif(one.event -> 'metadata' ->> 'correlationId', ''), nullif(one.event -> 'metadata' ->> 'causationId', ''), ids[1]::text),
               coalesce(one.event -> 'metadata' ->> 'causationId', ''), coalesce(one.event -> 'metadata' ->> 'actor', ''),
               coalesce(one.event -> 'metadata' ->> 'tenant', ''), coalesce(one.event -> 'metadata' ->> 'traceparent', ''),
               coalesce((one.event -> 'metadata' -> 'headers')::text, '')
          FROM unnest(batch) WITH ORDINALITY AS one(event, place) ORDER BY one.place
        RETURNING position)
    SELECT min(position), max(position) INTO first_position, last_position FROM written;
    first_version := head.version + 1;
    last_version := head.version + size;
    current_version := last_version;
    replayed := false;
    RETURN NEXT;
EXCEPTION WHEN unique_violation THEN
    -- Another transaction has committed one of the event ids meanwhile.
    RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'another transaction has just appended one of these event ids: repeat the transaction';
END $$;
