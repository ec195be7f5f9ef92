#pragma once

#include "adapters/postgres/statement.hpp"

/// The statements of users, schedules, endpoints, their recorded events, and the inbox. The lists
/// are one complete statement for each order, made by the preprocessor from literals; every filter
/// is off while its parameter is null.
namespace sundial::postgres::sql {

// Users. Further dates and metadata are JSON objects that travel as arrays of names and of values.

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

/// All but id and creation. $1 to $13 as above ($12, its creation, is as it was).
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

inline constexpr Statement find_user{"find_user", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = $1)sql"};

inline constexpr Statement lock_user{"lock_user", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = $1 FOR UPDATE)sql"};

/// $1 ids. In the order of ids, so that no two wait for each other in a circle.
inline constexpr Statement share_users{"share_users", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = ANY ($1) ORDER BY id FOR SHARE)sql"};

/// $1 after this id (or null), $2 limit.
inline constexpr Statement share_users_after{"share_users_after", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users
     WHERE id > coalesce($1, '00000000-0000-0000-0000-000000000000'::uuid)
     ORDER BY id LIMIT $2 FOR SHARE)sql"};

/// $1 time zones, $2 month and $3 day of birth, $4 prefix of id, external id or name, $5 and $6
/// created from and to; $7 id and $8 value of the last row of the page before (null: the first
/// page), $9 limit.
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
/// There is no other kind of schedule yet.
inline constexpr Statement share_schedules_per_user{"share_schedules_per_user", R"sql(
    SELECT * FROM sundial.schedules ORDER BY id FOR SHARE)sql"};
inline constexpr Statement schedules_behind{"schedules_behind", R"sql(
    SELECT id FROM sundial.schedules WHERE planned_version < version ORDER BY id)sql"};
inline constexpr Statement all_schedules{"all_schedules",
                                         "SELECT * FROM sundial.schedules ORDER BY id"};
/// $1 to $17: the columns in order.
inline constexpr Statement update_schedule{"update_schedule", R"sql(
    UPDATE sundial.schedules
       SET external_id = $2, event_type = $3, priority = $4, enabled = $5, note = $6, yearly_on = $7,
           yearly_at = $8, endpoint_id = $9, payload = $10, gap = $11, overlap = $12, leap = $13,
           version = $14, planned_version = $15, created_at = $16, updated_at = $17
     WHERE id = $1)sql"};

// Endpoints.

/// $1 to $18: the columns in order.
inline constexpr Statement add_endpoint{"add_endpoint", R"sql(
    INSERT INTO sundial.endpoints
        (id, external_id, name, type, url, header_names, header_values, timeout, retry_policy,
         retry_delays, retry_client_errors, enabled, disabled_reason, sealed_secret, secret_hint,
         version, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
    ON CONFLICT (external_id) DO NOTHING)sql"};
inline constexpr Statement update_endpoint{"update_endpoint", R"sql(
    UPDATE sundial.endpoints
       SET external_id = $2, name = $3, type = $4, url = $5, header_names = $6, header_values = $7,
           timeout = $8, retry_policy = $9, retry_delays = $10, retry_client_errors = $11,
           enabled = $12, disabled_reason = $13, sealed_secret = $14, secret_hint = $15,
           version = $16, created_at = $17, updated_at = $18
     WHERE id = $1)sql"};
inline constexpr Statement find_endpoint{"find_endpoint",
                                         "SELECT * FROM sundial.endpoints WHERE id = $1"};
inline constexpr Statement find_endpoints{"find_endpoints", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = ANY ($1) ORDER BY id)sql"};
inline constexpr Statement lock_endpoint{"lock_endpoint", R"sql(
    SELECT * FROM sundial.endpoints WHERE id = $1 FOR UPDATE)sql"};
inline constexpr Statement endpoint_of_external_id{"endpoint_of_external_id", R"sql(
    SELECT id FROM sundial.endpoints WHERE external_id = $1)sql"};

/// $1 type, $2 enabled, $3 prefix of id, external id or name; $4 id and $5 creation of the last row
/// of the page before (null: the first page), $6 limit.
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

// Recorded events.

/// $1 aggregate type, $2 aggregate, $3 version, $4 event id, $5 event type, $6 data, $7 correlation
/// id, $8 when.
inline constexpr Statement record{"record", R"sql(
    INSERT INTO sundial.recorded_events
        (aggregate_type, aggregate_id, version, event_id, event_type, data, correlation_id, recorded_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8))sql"};
/// $1 aggregate type, $2 aggregate.
inline constexpr Statement erase_stream{"erase_stream", R"sql(
    UPDATE sundial.recorded_events SET data = NULL WHERE aggregate_type = $1 AND aggregate_id = $2)sql"};

// Inbox.

/// $1 endpoint, $2 id, $3 when, $4 and $5 header names and values, $6 body.
inline constexpr Statement add_inbox_request{"add_inbox_request", R"sql(
    INSERT INTO sundial.inbox_requests
        (endpoint_id, id, received_at, header_names, header_values, body)
    VALUES ($1, $2, $3, $4, $5, $6))sql"};
/// Removes all but the newest $2 of the endpoint. $1 endpoint.
inline constexpr Statement trim_inbox{"trim_inbox", R"sql(
    DELETE FROM sundial.inbox_requests
     WHERE endpoint_id = $1
       AND id <= (SELECT id FROM sundial.inbox_requests WHERE endpoint_id = $1
                   ORDER BY id DESC OFFSET $2 LIMIT 1))sql"};
/// Of the newest $4. $1 endpoint, $2 before this id (or null), $3 limit.
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
