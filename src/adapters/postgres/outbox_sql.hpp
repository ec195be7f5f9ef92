#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for the progress of outboxes, and for reading an application's outbox.
namespace sundial::postgres::sql {

/// $1 to $10: the columns in order.
inline constexpr Statement declare_outbox{"declare_outbox", R"sql(
    INSERT INTO sundial.outboxes
        (name, source, failure, changed_at, taken, refused, last_id, taken_at, followed_by,
         lease_ends)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING)sql"};
inline constexpr Statement update_outbox{"update_outbox", R"sql(
    UPDATE sundial.outboxes
       SET source = $2, failure = $3, changed_at = $4, taken = $5, refused = $6, last_id = $7,
           taken_at = $8, followed_by = $9, lease_ends = $10
     WHERE name = $1)sql"};
/// Never waits. $1 name.
inline constexpr Statement lock_outbox{"lock_outbox", R"sql(
    SELECT * FROM sundial.outboxes WHERE name = $1 FOR UPDATE SKIP LOCKED)sql"};
/// $1 name of the previous page's last row or null, $2 limit.
inline constexpr Statement list_outboxes{"list_outboxes", R"sql(
    SELECT * FROM sundial.outboxes
     WHERE $1::text IS NULL OR name > $1 COLLATE "C" ORDER BY name COLLATE "C" LIMIT $2)sql"};

/// Descending. $1 name, $2 limit.
inline constexpr Statement newest_taken{"newest_taken", R"sql(
    SELECT first_id, last_id, changed_at FROM sundial.outbox_taken
     WHERE intake = $1 ORDER BY first_id DESC LIMIT $2)sql"};
/// $1 name, $2 limit.
inline constexpr Statement first_taken{"first_taken", R"sql(
    SELECT first_id, last_id, changed_at FROM sundial.outbox_taken
     WHERE intake = $1 ORDER BY first_id LIMIT $2)sql"};
/// The ranges that end after an id: the one that contains it, and those with greater ids. $1 name,
/// $2 id, $3 limit.
inline constexpr Statement taken_after{"taken_after", R"sql(
    SELECT first_id, last_id, changed_at FROM sundial.outbox_taken
     WHERE intake = $1 AND last_id > $2
       AND first_id >= coalesce((SELECT max(first_id) FROM sundial.outbox_taken
                                  WHERE intake = $1 AND first_id <= $2), $2)
     ORDER BY first_id LIMIT $3)sql"};
/// $1 name, $2 least and $3 greatest id that a range may have.
inline constexpr Statement taken_near{"taken_near", R"sql(
    SELECT first_id, last_id, changed_at FROM sundial.outbox_taken
     WHERE intake = $1 AND last_id >= $2 AND first_id <= $3
       AND first_id >= coalesce((SELECT max(first_id) FROM sundial.outbox_taken
                                  WHERE intake = $1 AND first_id <= $2), $2)
     ORDER BY first_id)sql"};
/// $1 name, $2 first ids.
inline constexpr Statement remove_taken{"remove_taken", R"sql(
    DELETE FROM sundial.outbox_taken WHERE intake = $1 AND first_id = ANY ($2))sql"};
/// Changes a range in place if only its end moves. $1 name, $2 first ids, $3 last ids, $4 now.
inline constexpr Statement add_taken{"add_taken", R"sql(
    INSERT INTO sundial.outbox_taken (intake, first_id, last_id, changed_at)
    SELECT $1, *, $4 FROM unnest($2::bigint[], $3::bigint[])
    ON CONFLICT (intake, first_id) DO UPDATE
       SET last_id = excluded.last_id, changed_at = excluded.changed_at)sql"};

/// $1 name, $2 ids, $3 kinds, $4 codes, $5 details, $6 errors, $7 instants.
inline constexpr Statement refuse_rows{"refuse_rows", R"sql(
    INSERT INTO sundial.outbox_refused (intake, id, kind, code, detail, errors, refused_at)
    SELECT $1, its.id, its.kind, its.code, its.detail, its.errors::jsonb, its.refused_at
      FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
           AS its(id, kind, code, detail, errors, refused_at))sql"};
/// $1 name, $2 id of the previous page's last row or null, $3 limit.
inline constexpr Statement refused_after{"refused_after", R"sql(
    SELECT id, kind, code, detail, errors::text AS errors, refused_at FROM sundial.outbox_refused
     WHERE intake = $1 AND ($2::bigint IS NULL OR id > $2) ORDER BY id LIMIT $3)sql"};
/// $1 name, $2 ids.
inline constexpr Statement forget_refused{"forget_refused", R"sql(
    DELETE FROM sundial.outbox_refused WHERE intake = $1 AND id = ANY ($2))sql"};

// In the application's database, whose table is found by the connection's search_path.

inline constexpr Statement begin_outbox{
    "begin_outbox", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", Statement::Plan::fresh};
/// $1 statement_timeout and lock_timeout in milliseconds.
inline constexpr Statement configure_outbox{"configure_outbox", R"sql(
    SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true),
           set_config('jit', 'off', true))sql",
                                            Statement::Plan::fresh};
/// The latest id that the table's own sequence gave out; null without such a sequence, or without
/// the right to read it.
inline constexpr Statement outbox_sequence{"outbox_sequence", R"sql(
    SELECT CASE WHEN has_sequence_privilege(own.sequence, 'USAGE, SELECT')
                THEN pg_sequence_last_value(own.sequence::regclass) END
      FROM (SELECT pg_get_serial_sequence('sundial_outbox', 'id') AS sequence) AS own)sql",
                                           Statement::Plan::fresh};
/// Rows in the ranges, range by range, up to `$3` rows or `$5` bytes. Leaves out the request of a
/// row if it has more than `$4` bytes. $1 first ids, $2 last ids.
inline constexpr Statement read_outbox{"read_outbox", R"sql(
    WITH found AS (
        SELECT its.id, its.kind, its.request
          FROM unnest($1::bigint[], $2::bigint[]) AS gap(first_id, last_id)
         CROSS JOIN LATERAL (
               SELECT id::bigint AS id, kind::text AS kind, request::text AS request
                 FROM sundial_outbox
                WHERE id BETWEEN gap.first_id AND gap.last_id ORDER BY id LIMIT $3) AS its
         LIMIT $3),
    summed AS (
        SELECT id, kind, CASE WHEN octet_length(request) <= $4 THEN request END AS request,
               coalesce(octet_length(request) > $4, false) AS too_large,
               coalesce(sum(least(octet_length(request), $4)) OVER
                   (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
          FROM found)
    SELECT id, kind, request, too_large FROM summed WHERE before < $5 ORDER BY id)sql",
                                       Statement::Plan::fresh};
/// $1 first ids, $2 last ids.
inline constexpr Statement outbox_has_rows{"outbox_has_rows", R"sql(
    SELECT EXISTS (SELECT FROM sundial_outbox WHERE id BETWEEN its.first_id AND its.last_id)
      FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS its(first_id, last_id, n)
     ORDER BY n)sql",
                                           Statement::Plan::fresh};

}  // namespace sundial::postgres::sql
