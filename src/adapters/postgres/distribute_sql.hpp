#pragma once

/// SQL of `sundial db distribute`, each sent in full over a PlainConnection.
namespace sundial::postgres::sql {

/// Version of the extension in this database, in the server's files; whether it is this role's
/// database, whether events are distributed or their history nested, number of shards, followers.
inline constexpr const char* distribution_facts = R"sql(
    SELECT coalesce((SELECT extversion FROM pg_extension WHERE extname = 'citus'), ''),
           coalesce((SELECT default_version FROM pg_available_extensions WHERE name = 'citus'), ''),
           pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = to_regclass('sundial.events')), 'USAGE'),
           to_regclass('sundial.event_history_done') IS NOT NULL,
           coalesce((SELECT value::bigint FROM sundial.settings WHERE name = 'shards'), 0),
           (SELECT count(*) FROM sundial.outcome_followers),
           EXISTS (SELECT FROM sundial.test_clock))sql";

/// Whether each table is distributed by its shard. For a database with the extension.
inline constexpr const char* distributed_tables = R"sql(
    SELECT name, part.logicalrelid IS NOT NULL, coalesce(part.partmethod = 'h' AND
           column_to_column_name(part.logicalrelid, part.partkey) = 'shard', false)
      FROM unnest(ARRAY['events', 'event_keys', 'attempts', 'event_moves', 'event_history'])
           WITH ORDINALITY AS wanted(name, ordinal)
      LEFT JOIN pg_dist_partition AS part ON part.logicalrelid = to_regclass('sundial.' || name)
     ORDER BY ordinal)sql";

/// Gives the history one level of partitions, by status and month. Views keep their rights. The
/// trigger for followers of outcomes goes with the old table: Citus allows none.
inline constexpr const char* flatten_history = R"sql(
    DO $flatten$
    DECLARE
        month   date;
        kind    text;
        each    record;
        indexes text[];
        views   text[];
        text_of text;
    BEGIN
        SELECT array_agg(CASE WHEN relation.relname = 'event_history_failed' AND definition !~ 'status'
                              THEN CASE WHEN definition ~ ' WHERE ' THEN regexp_replace(definition, ' WHERE (.*)$',
                                             ' WHERE \1 AND status = ''FAILED''')
                                        ELSE definition || ' WHERE status = ''FAILED''' END
                              ELSE definition END ORDER BY definition)
          INTO indexes
          FROM pg_index AS index
          JOIN pg_class AS relation ON relation.oid = index.indrelid
          JOIN pg_class AS own ON own.oid = index.indexrelid
         CROSS JOIN LATERAL (SELECT regexp_replace(pg_get_indexdef(index.indexrelid),
                    ' ON (ONLY )?sundial\.event_history(_done|_failed)? ', ' ON sundial.event_history ')) AS text(definition)
         WHERE relation.relnamespace = 'sundial'::regnamespace
           AND relation.relname IN ('event_history', 'event_history_done', 'event_history_failed')
           AND NOT index.indisprimary AND NOT own.relispartition;
        SELECT array_agg(format('CREATE OR REPLACE VIEW %s %s AS %s', view.oid::regclass,
                                'WITH (' || array_to_string(view.reloptions, ', ') || ')', pg_get_viewdef(view.oid)))
          INTO views
          FROM pg_class AS view
         WHERE view.relkind = 'v' AND view.oid IN (
            SELECT rule.ev_class FROM pg_depend JOIN pg_rewrite AS rule ON rule.oid = objid
             WHERE classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass
               AND refobjid = 'sundial.event_history'::regclass);
        CREATE TABLE sundial.event_history_flat
            (LIKE sundial.event_history INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)
            PARTITION BY RANGE (status, finished_at);
        CREATE TABLE sundial.event_history_default PARTITION OF sundial.event_history_flat DEFAULT;
        FOR month IN
            SELECT DISTINCT to_date(substring(class.relname FROM '\d{4}_\d{2}$'), 'YYYY_MM')
              FROM pg_partition_tree('sundial.event_history') AS part JOIN pg_class AS class ON class.oid = part.relid
             WHERE part.isleaf AND class.relname ~ '_\d{4}_\d{2}$' ORDER BY 1
        LOOP
            FOREACH kind IN ARRAY ARRAY['COMPLETED', 'CANCELLED', 'FAILED'] LOOP
                EXECUTE format(
                    'CREATE TABLE sundial.%I PARTITION OF sundial.event_history_flat FOR VALUES FROM (%L, %L) TO (%L, %L)',
                    format('event_history_%s_%s', to_char(month, 'YYYY_MM'), lower(kind)),
                    kind, month::timestamp AT TIME ZONE 'UTC',
                    kind, (month + interval '1 month') AT TIME ZONE 'UTC');
            END LOOP;
        END LOOP;
        INSERT INTO sundial.event_history_flat SELECT * FROM sundial.event_history;
        FOR each IN SELECT grantee, privilege_type FROM pg_class, aclexplode(relacl)
                     WHERE oid = 'sundial.event_history'::regclass AND grantee <> relowner
        LOOP
            EXECUTE format('GRANT %s ON sundial.event_history_flat TO %s', each.privilege_type,
                           CASE WHEN each.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(each.grantee)) END);
        END LOOP;
        ALTER TABLE sundial.event_history RENAME TO event_history_nested;
        ALTER TABLE sundial.event_history_flat RENAME TO event_history;
        FOREACH text_of IN ARRAY coalesce(views, '{}') LOOP
            EXECUTE text_of;
        END LOOP;
        DROP TABLE sundial.event_history_nested;
        ALTER TABLE sundial.event_history ADD PRIMARY KEY (shard, id, status, finished_at);
        FOREACH text_of IN ARRAY coalesce(indexes, '{}') LOOP
            EXECUTE text_of;
        END LOOP;
    END $flatten$)sql";

/// The functions that statements about events send along with them. The extension may be younger
/// than the functions.
inline constexpr const char* send_functions = R"sql(
    SELECT create_distributed_function(function::regprocedure)
      FROM unnest(ARRAY['sundial.clock()', 'sundial.shards()', 'sundial.shard_of(uuid)',
                        'sundial.shard_of_key(text,integer)']) AS needed(function))sql";

}  // namespace sundial::postgres::sql
