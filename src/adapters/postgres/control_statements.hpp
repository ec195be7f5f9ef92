#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for users, schedules and their skipped occurrences, endpoints, recorded events,
/// and the inbox. Each order of a list is one complete statement, which the preprocessor builds
/// from literals. A filter is off if its parameter is null.
namespace sundial::postgres::sql {

// Users. Further dates and metadata are JSON objects; each is sent as an array of names and an
// array of values.

/// $1 to $13: the columns in order; $7 and $8 are names and values of `dates`, $9 and $10 of
/// `metadata`.
inline constexpr Statement add_user{"add_user", R"sql(
    INSERT INTO sundial.users
        (id, external_id, first_name, last_name, date_of_birth, timezone, dates, metadata,
         version, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6,
            (SELECT coalesce(jsonb_object_agg(name, day), '{}') FROM unnest($7::text[], $8::date[]) AS d(name, day)),
            jsonb_object($9::text[], $10::text[]), $11, $12, $13)
    ON CONFLICT (external_id) DO NOTHING)sql"};

/// Updates all columns but id and creation time ($12, the creation time, does not change). $1 to
/// $13 as above.
inline constexpr Statement update_user{"update_user", R"sql(
    UPDATE sundial.users
       SET external_id = $2, first_name = $3, last_name = $4, date_of_birth = $5, timezone = $6,
           dates = (SELECT coalesce(jsonb_object_agg(name, day), '{}')
                      FROM unnest($7::text[], $8::date[]) AS d(name, day)),
           metadata = jsonb_object($9::text[], $10::text[]),
           version = $11, created_at = $12, updated_at = $13
     WHERE id = $1)sql"};

inline constexpr Statement remove_user{"remove_user", "DELETE FROM sundial.users WHERE id = $1"};

inline constexpr Statement user_of_external_id{"user_of_external_id", R"sql(
    SELECT id FROM sundial.users WHERE external_id = $1)sql"};
/// $1 external ids.
inline constexpr Statement users_of_external_ids{"users_of_external_ids", R"sql(
    SELECT external_id, id FROM sundial.users WHERE external_id = ANY ($1))sql"};

inline constexpr Statement find_user{"find_user", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = $1)sql"};

inline constexpr Statement lock_user{"lock_user", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = $1 FOR UPDATE)sql"};

/// $1 ids. Locks rows in the order of ids to prevent deadlocks.
inline constexpr Statement share_users{"share_users", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = ANY ($1) ORDER BY id FOR SHARE)sql"};

/// $1 ids. Never waits for a lock.
inline constexpr Statement try_share_users{"try_share_users", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = ANY ($1) FOR SHARE SKIP LOCKED)sql"};

/// $1 after this id (or null), $2 limit.
inline constexpr Statement share_users_after{"share_users_after", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users
     WHERE id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
     ORDER BY id LIMIT $2 FOR SHARE)sql"};
inline constexpr Statement count_users{"count_users", "SELECT count(*) FROM sundial.users"};

/// $1 time zones, $2 month and $3 day of birth, $4 prefix of id, external id or name, $5 and $6
/// creation time from and to; $7 id and $8 sort value of the previous page's last row (null: the
/// first page), $9 limit.
#define SUNDIAL_LIST_USERS(name, value, type, beyond, direction)                   \
    inline constexpr Statement name {                                              \
        #name,                                                                     \
            "SELECT *, sundial.names_of(dates) AS date_names,"                     \
            " sundial.values_of(dates)::date[] AS date_values,"                    \
            " sundial.names_of(metadata) AS metadata_names,"                       \
            " sundial.values_of(metadata) AS metadata_values"                      \
            " FROM sundial.users"                                                  \
            " WHERE ($1::text[] IS NULL OR timezone = ANY ($1))"                   \
            " AND ($2::integer IS NULL OR extract(month FROM date_of_birth) = $2)" \
            " AND ($3::integer IS NULL OR extract(day FROM date_of_birth) = $3)"   \
            " AND ($4::text IS NULL OR starts_with(id::text, $4)"                  \
            "      OR starts_with(external_id, $4) OR starts_with(first_name, $4)" \
            "      OR starts_with(last_name, $4))"                                 \
            " AND ($5::timestamptz IS NULL OR created_at >= $5)"                   \
            " AND ($6::timestamptz IS NULL OR created_at < $6)"                    \
            " AND ($7::uuid IS NULL OR (" value ", id) " beyond " ($8::" type      \
            ", $7))"                                                               \
            " ORDER BY " value " " direction ", id " direction " LIMIT $9",        \
            Statement::Plan::fresh                                                 \
    }
SUNDIAL_LIST_USERS(users_by_creation, "created_at", "timestamptz", ">", "ASC");
SUNDIAL_LIST_USERS(users_by_creation_down, "created_at", "timestamptz", "<", "DESC");
SUNDIAL_LIST_USERS(users_by_update, "updated_at", "timestamptz", ">", "ASC");
SUNDIAL_LIST_USERS(users_by_update_down, "updated_at", "timestamptz", "<", "DESC");
SUNDIAL_LIST_USERS(users_by_last_name, "last_name COLLATE \"C\"", "text", ">", "ASC");
SUNDIAL_LIST_USERS(users_by_last_name_down, "last_name COLLATE \"C\"", "text", "<", "DESC");
#undef SUNDIAL_LIST_USERS

// Schedules.

inline constexpr Statement find_schedule{"find_schedule",
                                         "SELECT * FROM sundial.schedules WHERE id = $1"};
inline constexpr Statement lock_schedule{"lock_schedule", R"sql(
    SELECT * FROM sundial.schedules WHERE id = $1 FOR UPDATE)sql"};
inline constexpr Statement schedule_of_external_id{"schedule_of_external_id", R"sql(
    SELECT id FROM sundial.schedules WHERE external_id = $1)sql"};
/// $1 ids.
inline constexpr Statement share_schedules{"share_schedules", R"sql(
    SELECT * FROM sundial.schedules WHERE id = ANY ($1) ORDER BY id FOR SHARE)sql"};
inline constexpr Statement share_schedules_per_user{"share_schedules_per_user", R"sql(
    SELECT * FROM sundial.schedules WHERE per_user ORDER BY id FOR SHARE)sql"};
/// Held by transactions that plan events for a user by the schedules that they have read. A
/// transaction that adds a per-user schedule waits for them, and they wait for it, so no user is
/// planned without the new schedule.
inline constexpr Statement keep_schedules{"keep_schedules", R"sql(
    SELECT pg_advisory_xact_lock_shared(hashtext('sundial.schedules_per_user')))sql"};
inline constexpr Statement wait_for_planning{"wait_for_planning", R"sql(
    SELECT pg_advisory_xact_lock(hashtext('sundial.schedules_per_user')))sql"};
/// $1 to $35: the columns in order.
inline constexpr Statement add_schedule{"add_schedule", R"sql(
    INSERT INTO sundial.schedules
        (id, external_id, event_type, priority, enabled, note, kind, yearly_on, yearly_at,
         cron, ical, dtstart, rrule, rdates, exdates, every, per_user, timezone,
         endpoint_id, payload, gap, overlap, leap, misfire, misfire_window, misfire_grace,
         misfire_limit, concurrency, jitter, starts_at, ends_at, version, planned_version,
         created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)
    ON CONFLICT (external_id) DO NOTHING)sql"};
/// $1 to $35 as above.
inline constexpr Statement update_schedule{"update_schedule", R"sql(
    UPDATE sundial.schedules
       SET external_id = $2, event_type = $3, priority = $4, enabled = $5, note = $6, kind = $7,
           yearly_on = $8, yearly_at = $9, cron = $10, ical = $11, dtstart = $12, rrule = $13,
           rdates = $14, exdates = $15, every = $16, per_user = $17, timezone = $18,
           endpoint_id = $19, payload = $20, gap = $21, overlap = $22, leap = $23, misfire = $24,
           misfire_window = $25, misfire_grace = $26, misfire_limit = $27, concurrency = $28,
           jitter = $29, starts_at = $30, ends_at = $31, version = $32, planned_version = $33,
           created_at = $34, updated_at = $35
     WHERE id = $1)sql"};
inline constexpr Statement remove_schedule{"remove_schedule", R"sql(
    DELETE FROM sundial.schedules WHERE id = $1)sql"};

/// $1 enabled, $2 per user, $3 kinds, $4 types, $5 endpoint, $6 prefix of id, external id or type;
/// $7 id and $8 creation time of the previous page's last row (null: the first page), $9 limit.
#define SUNDIAL_LIST_SCHEDULES(name, beyond, direction)                             \
    inline constexpr Statement name {                                               \
        #name,                                                                      \
            "SELECT * FROM sundial.schedules"                                       \
            " WHERE ($1::boolean IS NULL OR enabled = $1)"                          \
            " AND ($2::boolean IS NULL OR per_user = $2)"                           \
            " AND ($3::text[] IS NULL OR kind = ANY ($3))"                          \
            " AND ($4::text[] IS NULL OR event_type = ANY ($4))"                    \
            " AND ($5::uuid IS NULL OR endpoint_id = $5)"                           \
            " AND ($6::text IS NULL OR starts_with(id::text, $6)"                   \
            "      OR starts_with(external_id, $6) OR starts_with(event_type, $6))" \
            " AND ($7::uuid IS NULL OR (created_at, id) " beyond                    \
            " ($8::timestamptz, $7))"                                               \
            " ORDER BY created_at " direction ", id " direction " LIMIT $9",        \
            Statement::Plan::fresh                                                  \
    }
SUNDIAL_LIST_SCHEDULES(schedules_by_creation, ">", "ASC");
SUNDIAL_LIST_SCHEDULES(schedules_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_SCHEDULES

// Runs of skipped occurrences.

/// $1 schedule, $2 user (or null), $3 reason, $4 first, $5 last.
inline constexpr Statement knows_run{"knows_run", R"sql(
    SELECT FROM sundial.skipped_runs
     WHERE schedule_id = $1 AND user_id IS NOT DISTINCT FROM $2 AND reason = $3
       AND first <= $4 AND last >= $5)sql"};
/// $1 schedule, $2 user (or null), $3 reason, $4 first, $5 last, $6 count, $7 next, $8 time.
inline constexpr Statement extend_run{"extend_run", R"sql(
    UPDATE sundial.skipped_runs
       SET last = $5, count = count + $6, next = $7, recorded_at = $8
     WHERE schedule_id = $1 AND user_id IS NOT DISTINCT FROM $2 AND reason = $3 AND next = $4)sql"};
/// $1 to $9: the columns in order.
inline constexpr Statement add_run{"add_run", R"sql(
    INSERT INTO sundial.skipped_runs
        (id, schedule_id, user_id, reason, first, last, count, next, recorded_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9))sql"};
inline constexpr Statement remove_runs_of_user{"remove_runs_of_user", R"sql(
    DELETE FROM sundial.skipped_runs WHERE user_id = $1)sql"};
inline constexpr Statement remove_runs_of_schedule{"remove_runs_of_schedule", R"sql(
    DELETE FROM sundial.skipped_runs WHERE schedule_id = $1)sql"};

/// $1 schedule, $2 user, $3 and $4 the range that a run overlaps; $5 id and $6 first occurrence of
/// the previous page's last row (null: the first page), $7 limit.
#define SUNDIAL_LIST_RUNS(name, beyond, direction)                      \
    inline constexpr Statement name {                                   \
        #name,                                                          \
            "SELECT * FROM sundial.skipped_runs"                        \
            " WHERE ($1::uuid IS NULL OR schedule_id = $1)"             \
            " AND ($2::uuid IS NULL OR user_id = $2)"                   \
            " AND ($3::timestamptz IS NULL OR last >= $3)"              \
            " AND ($4::timestamptz IS NULL OR first < $4)"              \
            " AND ($5::uuid IS NULL OR (first, id) " beyond             \
            " ($6::timestamptz, $5))"                                   \
            " ORDER BY first " direction ", id " direction " LIMIT $7", \
            Statement::Plan::fresh                                      \
    }
SUNDIAL_LIST_RUNS(skipped_runs, ">", "ASC");
SUNDIAL_LIST_RUNS(skipped_runs_down, "<", "DESC");
#undef SUNDIAL_LIST_RUNS

// Endpoints.

/// $1 to $26: the columns in order.
inline constexpr Statement add_endpoint{"add_endpoint", R"sql(
    INSERT INTO sundial.endpoints
        (id, external_id, name, type, url, header_names, sealed_headers, timeout, retry_policy,
         retry_delays, retry_client_errors, enabled, disabled_reason, secret_hint, version,
         created_at, updated_at, rate_per_second, rate_burst, max_in_flight, format, public_key,
         signing_schemes, sealed_keys, keys_sign_until, header_hints)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
            $20, $21, $22, $23, $24, $25, $26)
    ON CONFLICT (external_id) DO NOTHING)sql"};
inline constexpr Statement update_endpoint{"update_endpoint", R"sql(
    UPDATE sundial.endpoints
       SET external_id = $2, name = $3, type = $4, url = $5, header_names = $6, sealed_headers = $7,
           timeout = $8, retry_policy = $9, retry_delays = $10, retry_client_errors = $11,
           enabled = $12, disabled_reason = $13, secret_hint = $14, version = $15,
           created_at = $16, updated_at = $17, rate_per_second = $18, rate_burst = $19,
           max_in_flight = $20, format = $21, public_key = $22, signing_schemes = $23,
           sealed_keys = $24, keys_sign_until = $25, header_hints = $26
     WHERE id = $1)sql"};
inline constexpr Statement find_endpoint{"find_endpoint",
                                         "SELECT * FROM sundial.endpoints WHERE id = $1"};
inline constexpr Statement find_endpoints{"find_endpoints", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = ANY ($1) ORDER BY id)sql"};
inline constexpr Statement lock_endpoint{"lock_endpoint", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = $1 FOR UPDATE)sql"};
inline constexpr Statement endpoint_of_external_id{"endpoint_of_external_id", R"sql(
    SELECT id FROM sundial.endpoints WHERE external_id = $1)sql"};
/// $1 external ids.
inline constexpr Statement endpoints_of_external_ids{"endpoints_of_external_ids", R"sql(
    SELECT external_id, id FROM sundial.endpoints WHERE external_id = ANY ($1))sql"};

/// $1 type, $2 enabled, $3 prefix of id, external id or name; $4 id and $5 creation time of the
/// previous page's last row (null: the first page), $6 limit.
#define SUNDIAL_LIST_ENDPOINTS(name, beyond, direction)                       \
    inline constexpr Statement name {                                         \
        #name,                                                                \
            "SELECT * FROM sundial.endpoints"                                 \
            " WHERE ($1::text IS NULL OR type = $1)"                          \
            " AND ($2::boolean IS NULL OR enabled = $2)"                      \
            " AND ($3::text IS NULL OR starts_with(id::text, $3)"             \
            "      OR starts_with(external_id, $3) OR starts_with(name, $3))" \
            " AND ($4::uuid IS NULL OR (created_at, id) " beyond              \
            " ($5::timestamptz, $4))"                                         \
            " ORDER BY created_at " direction ", id " direction " LIMIT $6",  \
            Statement::Plan::fresh                                            \
    }
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation, ">", "ASC");
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_ENDPOINTS

// Inbox.

/// $1 endpoint, $2 id, $3 time, $4 and $5 header names and values, $6 body.
inline constexpr Statement add_inbox_request{"add_inbox_request", R"sql(
    INSERT INTO sundial.inbox_requests
        (endpoint_id, id, received_at, header_names, header_values, body)
    VALUES ($1, $2, $3, $4, $5, $6))sql"};
/// Removes all requests of endpoint $1 but the newest $2.
inline constexpr Statement trim_inbox{"trim_inbox", R"sql(
    DELETE FROM sundial.inbox_requests
     WHERE endpoint_id = $1
       AND id <= (SELECT id FROM sundial.inbox_requests WHERE endpoint_id = $1
                   ORDER BY id DESC OFFSET $2 LIMIT 1))sql"};
/// Lists among the newest $4 requests. $1 endpoint, $2 before this id (or null), $3 limit.
inline constexpr Statement list_inbox{"list_inbox", R"sql(
    SELECT * FROM sundial.inbox_requests
     WHERE endpoint_id = $1 AND id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
       AND id > coalesce((SELECT id FROM sundial.inbox_requests WHERE endpoint_id = $1
                           ORDER BY id DESC OFFSET $4 LIMIT 1),
                         '00000000-0000-0000-0000-000000000000'::uuid)
     ORDER BY id DESC LIMIT $3)sql"};
inline constexpr Statement clear_inbox{"clear_inbox", R"sql(
    DELETE FROM sundial.inbox_requests WHERE endpoint_id = $1)sql"};

}  // namespace sundial::postgres::sql
