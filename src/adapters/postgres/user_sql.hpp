#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL of users. Each order of a list is one complete
/// statement, which the preprocessor builds from literals. A filter is off if its parameter is
/// null.
namespace sundial::postgres::sql {

// Further dates and metadata are JSON objects; each is sent as an array of names and an
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

/// Updates all columns except id and creation time ($12 is ignored). $1 to $13 as above.
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
inline constexpr Statement find_users{"find_users", R"sql(
    SELECT *, sundial.names_of(dates) AS date_names, sundial.values_of(dates)::date[] AS date_values,
           sundial.names_of(metadata) AS metadata_names, sundial.values_of(metadata) AS metadata_values
      FROM sundial.users WHERE id = ANY ($1))sql"};

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
/// first page), $9 limit; $10 id and $11 sort value of the last row that the page may pass (null:
/// any).
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
            " AND ($10::uuid IS NULL OR ($11::" type ", $10) " beyond "= (" value  \
            ", id))"                                                               \
            " ORDER BY " value " " direction ", id " direction " LIMIT $9",        \
            Statement::Plan::fresh                                                 \
    }
/// Where a page ends that passes many users: id and sort value of the row after $5 others. $1 and
/// $2 id and sort value of the previous page's last row; $3 and $4 creation time from and to, for
/// lists in that order.
#define SUNDIAL_PASSED_USERS(name, value, type, range, beyond, direction)                      \
    inline constexpr Statement name {                                                          \
        #name,                                                                                 \
            "SELECT id, " value " FROM sundial.users WHERE ($1::uuid IS NULL OR (" value       \
            ", id) " beyond " ($2::" type ", $1)) AND " range " ORDER BY " value " " direction \
            ", id " direction " OFFSET $5::bigint LIMIT 1",                                    \
            Statement::Plan::fresh                                                             \
    }
#define SUNDIAL_USERS_BY(name, value, type, range)                                \
    SUNDIAL_LIST_USERS(users_by_##name, value, type, ">", "ASC");                 \
    SUNDIAL_LIST_USERS(users_by_##name##_down, value, type, "<", "DESC");         \
    SUNDIAL_PASSED_USERS(passed_users_by_##name, value, type, range, ">", "ASC"); \
    SUNDIAL_PASSED_USERS(passed_users_by_##name##_down, value, type, range, "<", "DESC")

SUNDIAL_USERS_BY(creation, "created_at", "timestamptz",
                 "($3::timestamptz IS NULL OR created_at >= $3)"
                 " AND ($4::timestamptz IS NULL OR created_at < $4)");
SUNDIAL_USERS_BY(update, "updated_at", "timestamptz", "TRUE");
SUNDIAL_USERS_BY(last_name, "last_name COLLATE \"C\"", "text", "TRUE");
#undef SUNDIAL_USERS_BY
#undef SUNDIAL_PASSED_USERS
#undef SUNDIAL_LIST_USERS

}  // namespace sundial::postgres::sql
