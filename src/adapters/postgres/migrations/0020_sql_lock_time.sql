-- Locks by SQL go by the time at which they are asked for. sundial.clock() is that of the statement: a job that had worked
-- for longer than its lease when it asked was granted one that was over, and a loop never saw another's end.
CREATE FUNCTION sundial.time_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT CASE WHEN EXISTS (SELECT FROM sundial.test_clock) THEN sundial.clock() ELSE clock_timestamp() END';

-- One row, or none while somebody has it. Never waits. The token is for `unlock`, and for whoever renews or releases by
-- HTTP; what is guarded compares the fencing token, which grows for ever.
CREATE OR REPLACE FUNCTION sundial.try_lock(name text, holder text, ttl interval DEFAULT '30 seconds')
    RETURNS TABLE (lock_token text, fencing_token bigint, expires_at timestamptz)
    LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    now   CONSTANT timestamptz := sundial.time_now();
    token CONSTANT text := left(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 32);
    kept  sundial.locks;
BEGIN
    IF try_lock.name IS NULL OR try_lock.name !~ '^[^[:cntrl:]]{1,128}$' OR try_lock.name ~ '^\s*$' THEN
        PERFORM sundial.refuse('name: must have 1 to 128 characters, not only blanks');
    ELSIF starts_with(try_lock.name, 'sundial.') THEN
        PERFORM sundial.refuse('name: locks whose names begin with ''sundial.'' are Sundial''s own');
    ELSIF try_lock.holder IS NULL OR try_lock.holder !~ '^[^[:cntrl:]]{1,128}$' OR try_lock.holder ~ '^\s*$' THEN
        PERFORM sundial.refuse('holder: must have 1 to 128 characters, not only blanks');
    ELSIF ttl IS NULL OR ttl < interval '100 milliseconds' OR ttl > interval '24 hours' THEN
        PERFORM sundial.refuse('ttl: a lock is leased for 100 ms to 24 hours');
    END IF;
    -- Of two who make a row the second would wait for the first.
    IF NOT EXISTS (SELECT FROM sundial.locks WHERE name = try_lock.name) THEN
        IF NOT pg_try_advisory_xact_lock(1398099532, hashtext(try_lock.name)) THEN RETURN; END IF;
        INSERT INTO sundial.locks VALUES (try_lock.name, 0, '', '', 'epoch', 'epoch') ON CONFLICT DO NOTHING;
    END IF;
    SELECT * INTO kept FROM sundial.locks WHERE name = try_lock.name FOR UPDATE SKIP LOCKED;
    IF NOT FOUND OR (kept.token_hash <> '' AND kept.expires_at > now) THEN RETURN; END IF;
    RETURN QUERY UPDATE sundial.locks
       SET fencing_token = kept.fencing_token + 1, token_hash = sha256(convert_to(token, 'UTF8')),
           holder = try_lock.holder, acquired_at = now, expires_at = now + ttl
     WHERE name = try_lock.name
    RETURNING token, fencing_token, expires_at;
END $$;

-- False if it is not held under that token (any more).
CREATE OR REPLACE FUNCTION sundial.unlock(name text, lock_token text) RETURNS boolean
    LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    now CONSTANT timestamptz := sundial.time_now();
BEGIN
    UPDATE sundial.locks SET token_hash = '', expires_at = now
     WHERE name = unlock.name AND token_hash = sha256(convert_to(unlock.lock_token, 'UTF8'))
       AND expires_at > now;
    RETURN FOUND;
END $$;
