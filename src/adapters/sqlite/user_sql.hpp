#pragma once

#include "adapters/sqlite/value.hpp"

#define SUNDIAL_USER                                                                     \
    "id, external_id, first_name, last_name, date_of_birth, timezone, dates, metadata, " \
    "version, created_at, updated_at"

/// SQL of users. In lists a filter is off if its parameter is null. Texts are compared byte by
/// byte.
namespace sundial::sqlite::sql {

/// Inserts nothing if another row has the external id.
inline constexpr Statement add_user{"INSERT INTO users (" SUNDIAL_USER R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
    ON CONFLICT (external_id) DO NOTHING)sql"};
inline constexpr Statement update_user{R"sql(
    UPDATE users
       SET external_id = ?2, first_name = ?3, last_name = ?4, date_of_birth = ?5, timezone = ?6,
           dates = ?7, metadata = ?8, version = ?9, created_at = ?10, updated_at = ?11
     WHERE id = ?1)sql"};
inline constexpr Statement remove_user{"DELETE FROM users WHERE id = ?1"};
inline constexpr Statement user{"SELECT " SUNDIAL_USER " FROM users WHERE id = ?1"};
inline constexpr Statement user_id{"SELECT id FROM users WHERE external_id = ?1"};
inline constexpr Statement users_after{
    "SELECT " SUNDIAL_USER " FROM users WHERE ?1 IS NULL OR id > ?1 ORDER BY id LIMIT ?2"};
inline constexpr Statement count_users{"SELECT count(*) FROM users"};

/// Bounds of a list. The planner does not know the values, so a bound that may be null must still
/// be one: `start` and `end` are beyond all sort values on either side.
#define SUNDIAL_AFTER(value, beyond, start, value_after, id_after)                         \
    "(" value ", id) " beyond " (coalesce(" value_after ", " start "), coalesce(" id_after \
    ", "                                                                                   \
    "x''))"
#define SUNDIAL_UNTIL(value, before, end, value_until, id_until)                          \
    "(" value ", id) " before "= (coalesce(" value_until ", " end "), coalesce(" id_until \
    ", "                                                                                  \
    "x''))"

/// ?1 zones (a JSON array), ?2 and ?3 month and day of birth, ?4 prefix of id, external id or name,
/// ?5 and ?6 first and last id with that prefix, ?7 and ?8 creation time from and to; ?9 id and ?10
/// sort value of the previous page's last row, ?11 limit; ?12 id and ?13 sort value of the last row
/// that the page may pass.
#define SUNDIAL_LIST_USERS(name, value, beyond, before, start, end, direction)                   \
    inline constexpr Statement name{                                                             \
        "SELECT " SUNDIAL_USER                                                                   \
        " FROM users WHERE 1"                                                                    \
        " AND (?1 IS NULL OR timezone IN (SELECT value FROM json_each(?1)))"                     \
        " AND (?2 IS NULL OR CAST(substr(date_of_birth, 6, 2) AS INTEGER) = ?2)"                 \
        " AND (?3 IS NULL OR CAST(substr(date_of_birth, 9, 2) AS INTEGER) = ?3)"                 \
        " AND (?4 IS NULL OR id BETWEEN ?5 AND ?6"                                               \
        "      OR substr(first_name, 1, length(?4)) = ?4"                                        \
        "      OR substr(last_name, 1, length(?4)) = ?4"                                         \
        "      OR substr(coalesce(external_id, ''), 1, length(?4)) = ?4)"                        \
        " AND (?7 IS NULL OR created_at >= ?7)"                                                  \
        " AND (?8 IS NULL OR created_at < ?8)"                                                   \
        " AND " SUNDIAL_AFTER(value, beyond, start, "?10", "?9") " AND " SUNDIAL_UNTIL(          \
            value, before, end, "?13", "?12") " ORDER BY " value " " direction ", id " direction \
                                              " LIMIT ?11"}
/// Where a page ends that passes many users: id and sort value of the row after ?5 others. ?1 and
/// ?2 id and sort value of the previous page's last row; ?3 and ?4 those of the list's end.
#define SUNDIAL_PASSED_USERS(name, value, beyond, before, start, end, direction)             \
    inline constexpr Statement name{"SELECT id, " value " FROM users WHERE " SUNDIAL_AFTER(  \
        value, beyond, start, "?2",                                                          \
        "?1") " AND " SUNDIAL_UNTIL(value, before, end, "?4",                                \
                                    "?3") " ORDER BY " value " " direction ", id " direction \
                                          " LIMIT 1 OFFSET ?5"}
#define SUNDIAL_USERS_BY(name, value, lowest, highest)                                     \
    SUNDIAL_LIST_USERS(users_by_##name, value, ">", "<", lowest, highest, "ASC");          \
    SUNDIAL_LIST_USERS(users_by_##name##_down, value, "<", ">", highest, lowest, "DESC");  \
    SUNDIAL_PASSED_USERS(passed_users_by_##name, value, ">", "<", lowest, highest, "ASC"); \
    SUNDIAL_PASSED_USERS(passed_users_by_##name##_down, value, "<", ">", highest, lowest, "DESC")

#define SUNDIAL_LOWEST_TIME "-9223372036854775807"
#define SUNDIAL_HIGHEST_TIME "9223372036854775807"
SUNDIAL_USERS_BY(creation, "created_at", SUNDIAL_LOWEST_TIME, SUNDIAL_HIGHEST_TIME);
SUNDIAL_USERS_BY(update, "updated_at", SUNDIAL_LOWEST_TIME, SUNDIAL_HIGHEST_TIME);
SUNDIAL_USERS_BY(name, "last_name", "''", "x''");  // a blob is above every text
#undef SUNDIAL_HIGHEST_TIME
#undef SUNDIAL_LOWEST_TIME
#undef SUNDIAL_USERS_BY
#undef SUNDIAL_PASSED_USERS
#undef SUNDIAL_UNTIL
#undef SUNDIAL_AFTER
#undef SUNDIAL_LIST_USERS
#undef SUNDIAL_USER

}  // namespace sundial::sqlite::sql
