#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for the intake: what functions such as sundial.schedule_local have stored.
namespace sundial::postgres::sql {

inline constexpr Statement any_intake{"any_intake", R"sql(
    SELECT EXISTS (SELECT FROM sundial.intake WHERE failed_at IS NULL AND NOT done))sql"};

/// Whether this transaction may work on the intake. The first number, "SUNI", separates our locks
/// from those of other programs.
inline constexpr Statement lead_intake{"lead_intake", R"sql(
    SELECT pg_try_advisory_xact_lock(1398099529, 0))sql"};

/// $1 limit. Members of `data` as columns: the user before, and the fields of a schedule.
inline constexpr Statement take_intake{"take_intake", R"sql(
    SELECT number, kind, subject, 'sql-' || number AS correlation_id, actor,
           data->>'name' AS name,
           (data->'before') IS NOT NULL AS has_before, data->'before'->>'timezone' AS before_zone,
           (data->'before'->>'dateOfBirth')::date AS before_birth,
           sundial.names_of(coalesce(data->'before'->'dates', '{}')) AS date_names,
           sundial.values_of(coalesce(data->'before'->'dates', '{}'))::date[] AS date_values,
           data->>'eventType' AS event_type, data->>'priority' AS priority,
           (data->>'enabled')::boolean AS enabled, data->>'note' AS note,
           data->'trigger'->>'cron' AS cron, data->'trigger'->>'every' AS every,
           data->'trigger' ? 'yearly' AS yearly, data->'trigger'->'yearly'->>'on' AS yearly_on,
           data->'trigger'->'yearly'->>'at' AS yearly_at,
           data->'trigger' ? 'rrule' AS has_rrule,
           CASE jsonb_typeof(data->'trigger'->'rrule') WHEN 'string' THEN data->'trigger'->>'rrule' END AS ical,
           data->'trigger'->'rrule'->>'dtstart' AS dtstart, data->'trigger'->'rrule'->>'rrule' AS rrule,
           ARRAY(SELECT jsonb_array_elements_text(data->'trigger'->'rrule'->'rdate')) AS rdates,
           ARRAY(SELECT jsonb_array_elements_text(data->'trigger'->'rrule'->'exdate')) AS exdates,
           (data->>'perUser')::boolean AS per_user, data->>'timezone' AS timezone,
           data->>'endpointId' AS endpoint, (data->'payload')::text AS payload,
           data->>'gap' AS gap, data->>'overlap' AS overlap, data->>'leap' AS leap,
           data->>'misfire' AS misfire, data->>'window' AS misfire_window,
           data->>'grace' AS grace, (data->>'limit')::integer AS misfire_limit,
           data->>'concurrency' AS concurrency, data->>'jitter' AS jitter,
           data->>'startsAt' AS starts_at, data->>'endsAt' AS ends_at
      FROM sundial.intake WHERE failed_at IS NULL AND NOT done ORDER BY number LIMIT $1)sql",
                                       Statement::Plan::fresh};

/// $1 numbers.
inline constexpr Statement remove_intake{"remove_intake", R"sql(
    DELETE FROM sundial.intake WHERE number = ANY ($1))sql"};
/// $1 number, $2 code, $3 detail, $4 now.
inline constexpr Statement refuse_intake{"refuse_intake", R"sql(
    UPDATE sundial.intake SET failed_at = $4, code = $2, detail = $3 WHERE number = $1)sql"};
/// $1 number.
inline constexpr Statement intake_is_done{"intake_is_done", R"sql(
    UPDATE sundial.intake SET done = true WHERE number = $1)sql"};

}  // namespace sundial::postgres::sql
