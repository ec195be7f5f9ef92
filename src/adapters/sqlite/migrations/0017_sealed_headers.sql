-- The values of endpoints' own headers may be credentials. From now on `headers` holds
--     [[name, sealed value, hint], …]
-- with an empty hint where the value is not sealed yet: only the program has the key, and seals them when it starts.
UPDATE endpoints
   SET headers = (SELECT json_group_array(json_array(json_extract(value, '$[0]'), json_extract(value, '$[1]'), ''))
                    FROM json_each(endpoints.headers))
 WHERE headers <> '[]';

-- Two more places have kept such values. Requests in an inbox: what Sundial itself says in a request stays, all other
-- headers were an endpoint's own.
UPDATE inbox_requests
   SET headers = (SELECT json_group_array(json(value))
                    FROM json_each(inbox_requests.headers)
                   WHERE lower(json_extract(value, '$[0]')) IN ('content-type', 'content-length', 'user-agent',
                                                                'x-idempotency-key', 'idempotency-key', 'traceparent')
                      OR lower(json_extract(value, '$[0]')) GLOB 'webhook-*'
                      OR lower(json_extract(value, '$[0]')) GLOB 'sundial-*'
                      OR lower(json_extract(value, '$[0]')) GLOB 'ce-*');

-- And answers that show an endpoint, kept for a day to be repeated under the same Idempotency-Key.
DELETE FROM idempotency_keys
 WHERE NOT sealed
   AND instr(CAST(answer AS TEXT), '"headers":{"') > 0
   AND instr(CAST(answer AS TEXT), '"retryClientErrors":') > 0
   AND instr(CAST(answer AS TEXT), '"secretHint":') > 0;
