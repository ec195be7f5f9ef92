-- The values of endpoints' own headers may be credentials: from now on they are sealed, with a hint of each. The hint is
-- empty where the value is not sealed yet: only the program has the key, and seals them when it starts. The column has
-- another name so that an instance of an older program cannot send sealed texts to receivers as if they were values.
ALTER TABLE sundial.endpoints RENAME COLUMN header_values TO sealed_headers;
ALTER TABLE sundial.endpoints ADD COLUMN header_hints text[] NOT NULL DEFAULT '{}';

UPDATE sundial.endpoints
   SET header_hints = array_fill(''::text, ARRAY[cardinality(header_names)])
 WHERE cardinality(header_names) > 0;

ALTER TABLE sundial.endpoints
    ALTER COLUMN header_hints DROP DEFAULT,
    ADD CONSTRAINT endpoints_header_hints CHECK (cardinality(header_hints) = cardinality(header_names));

-- Two more places have kept such values. Requests in an inbox: what Sundial itself says in a request stays, all other
-- headers were an endpoint's own.
UPDATE sundial.inbox_requests AS request
   SET header_names = kept.names, header_values = kept.texts
  FROM (SELECT endpoint_id, id,
               coalesce(array_agg(name ORDER BY place) FILTER (WHERE ours), '{}') AS names,
               coalesce(array_agg(text ORDER BY place) FILTER (WHERE ours), '{}') AS texts
          FROM sundial.inbox_requests
         CROSS JOIN LATERAL unnest(header_names, header_values) WITH ORDINALITY AS header(name, text, place)
         CROSS JOIN LATERAL (SELECT lower(name) IN ('content-type', 'content-length', 'user-agent', 'x-idempotency-key',
                                                    'idempotency-key', 'traceparent')
                                    OR lower(name) ~ '^(webhook|sundial|ce)-' AS ours) AS judged
         GROUP BY endpoint_id, id
        HAVING NOT bool_and(ours)) AS kept
 WHERE request.endpoint_id = kept.endpoint_id AND request.id = kept.id;

-- And answers that show an endpoint, kept for a day to be repeated under the same Idempotency-Key.
DELETE FROM sundial.idempotency_keys
 WHERE NOT sealed
   AND position('"headers":{"'::bytea IN answer) > 0
   AND position('"retryClientErrors":'::bytea IN answer) > 0
   AND position('"secretHint":'::bytea IN answer) > 0;
