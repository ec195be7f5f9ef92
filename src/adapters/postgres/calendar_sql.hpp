#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for calendars.
namespace sundial::postgres::sql {

/// $1 to $8: the columns in order.
inline constexpr Statement add_calendar{"add_calendar", R"sql(
    INSERT INTO sundial.calendars
        (id, name, schedule_id, user_id, token_hash, expires_at, version, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8))sql"};
inline constexpr Statement lock_calendar{
    "lock_calendar", "SELECT * FROM sundial.calendars WHERE id = $1 FOR UPDATE"};
inline constexpr Statement calendar_with_token{
    "calendar_with_token", "SELECT * FROM sundial.calendars WHERE token_hash = $1"};
inline constexpr Statement remove_calendar{"remove_calendar",
                                           "DELETE FROM sundial.calendars WHERE id = $1"};
inline constexpr Statement remove_calendars_of_schedule{
    "remove_calendars_of_schedule", "DELETE FROM sundial.calendars WHERE schedule_id = $1"};
inline constexpr Statement remove_calendars_of_user{
    "remove_calendars_of_user", "DELETE FROM sundial.calendars WHERE user_id = $1"};

/// $1 schedule and $2 user, or null; $3 id and $4 creation time of the previous page's last row
/// (null: the first page), $5 limit.
#define SUNDIAL_LIST_CALENDARS(name, beyond, direction)                      \
    inline constexpr Statement name {                                        \
        #name,                                                               \
            "SELECT * FROM sundial.calendars"                                \
            " WHERE ($1::uuid IS NULL OR schedule_id = $1)"                  \
            " AND ($2::uuid IS NULL OR user_id = $2)"                        \
            " AND ($3::uuid IS NULL OR (created_at, id) " beyond             \
            " ($4::timestamptz, $3))"                                        \
            " ORDER BY created_at " direction ", id " direction " LIMIT $5", \
            Statement::Plan::fresh                                           \
    }
SUNDIAL_LIST_CALENDARS(calendars_by_creation, ">", "ASC");
SUNDIAL_LIST_CALENDARS(calendars_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_CALENDARS

}  // namespace sundial::postgres::sql
