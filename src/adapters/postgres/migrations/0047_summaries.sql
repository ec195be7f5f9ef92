-- PostgreSQL summarises a range of the index event_history_by_end once the next one begins, but it keeps 256 requests for
-- all tables of a server and drops the others. Above some 2,000 finished events a second, ranges stay without a summary
-- until the next vacuum, and lists by execution read all of them. Maintenance summarises them, too (ADR 0023).

-- Summarises the ranges [first, past) of a partition's index. ranges: how many whole ranges the partition has. Both are null
-- if the caller does not own the partition, or if it is locked, for example by a vacuum, which summarises as well. Never
-- waits for the lock of a table: an autovacuum that blocks another transaction is cancelled.
CREATE FUNCTION sundial.summarise_history(part oid, first bigint, past bigint, OUT ranges bigint, OUT summarised bigint)
LANGUAGE plpgsql AS $$
DECLARE
    named  text;
    by_end oid;
    pages  bigint;
BEGIN
    SELECT class.relname, own.oid,
           coalesce((SELECT option_value::bigint FROM pg_options_to_table(own.reloptions)
                      WHERE option_name = 'pages_per_range'), 128)
      INTO named, by_end, pages
      FROM pg_class AS class
      JOIN pg_index ON indrelid = class.oid
      JOIN pg_class AS own ON own.oid = indexrelid
      JOIN pg_am ON pg_am.oid = own.relam
     WHERE class.oid = part AND class.relnamespace = 'sundial'::regnamespace AND class.relispartition
       AND class.relname ~ '^event_history_' AND pg_has_role(class.relowner, 'USAGE') AND amname = 'brin';
    IF NOT FOUND THEN
        RETURN;
    END IF;
    BEGIN
        EXECUTE format('LOCK TABLE ONLY sundial.%I IN SHARE UPDATE EXCLUSIVE MODE NOWAIT', named);
    EXCEPTION WHEN lock_not_available OR undefined_table THEN
        RETURN;
    END;
    ranges := pg_relation_size(part) / current_setting('block_size')::bigint / pages;
    SELECT coalesce(sum(brin_summarize_range(by_end, number * pages)), 0) INTO summarised
      FROM generate_series(first, least(past, ranges) - 1) AS number;
END $$;
REVOKE EXECUTE ON FUNCTION sundial.summarise_history(oid, bigint, bigint) FROM PUBLIC;
