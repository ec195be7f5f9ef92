-- What tells one server from another. An instance that meets another one than before, or the same one started anew, leaves
-- to others what they hold for the time of a lease; a primary that was replaced and has come back is refused.

-- Of the cluster: the same on a primary and its standbys. 0 where this role may not know.
CREATE FUNCTION sundial.system_identifier() RETURNS bigint
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF has_function_privilege('pg_control_system()', 'EXECUTE') THEN
        RETURN (SELECT system_identifier FROM pg_control_system());
    END IF;
    RETURN 0;
END $$;

-- The timeline of this server, which must not be before `seen` of the cluster `seen_of`.
CREATE FUNCTION sundial.timeline(seen bigint, seen_of bigint) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    own bigint := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;
BEGIN
    IF own < seen AND sundial.system_identifier() = seen_of THEN
        RAISE EXCEPTION 'OLD_PRIMARY this server is on timeline %, and % has been seen: it was replaced', own, seen
            USING ERRCODE = 'SD001';
    END IF;
    RETURN own;
END $$;

-- A hint to every instance that listens: something is due before it looks by itself. To be called once, after a commit.
CREATE FUNCTION sundial.wake() RETURNS void
    LANGUAGE sql AS $$ SELECT pg_notify('sundial_wake', '') $$;
