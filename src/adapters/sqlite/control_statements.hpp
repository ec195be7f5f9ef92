#pragma once

#include "adapters/sqlite/statement.hpp"

#define SUNDIAL_USER                                                                     \
    "id, external_id, first_name, last_name, date_of_birth, timezone, dates, metadata, " \
    "version, created_at, updated_at"
#define SUNDIAL_SCHEDULE                                                                       \
    "id, external_id, event_type, priority, enabled, note, kind, yearly_on, yearly_at, cron, " \
    "ical, dtstart, rrule, rdates, exdates, every, per_user, timezone, endpoint_id, payload, " \
    "gap, overlap, leap, misfire, misfire_window, misfire_grace, misfire_limit, concurrency, " \
    "jitter, starts_at, ends_at, version, planned_version, created_at, updated_at"
#define SUNDIAL_ENDPOINT                                                                \
    "id, external_id, name, type, url, headers, timeout, retry_policy, retry_delays, "  \
    "retry_client_errors, enabled, disabled_reason, secret_hint, version, created_at, " \
    "updated_at, rate_per_second, rate_burst, max_in_flight, format, public_key, "      \
    "signing_keys"

/// SQL statements for users, schedules and endpoints. In lists a filter is off if its parameter is
/// null. Texts are compared byte by byte.
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

/// ?1 zones (a JSON array), ?2 and ?3 month and day of birth, ?4 prefix of id, external id or name,
/// ?5 and ?6 first and last id with that prefix, ?7 and ?8 creation time from and to; ?9 id and ?10
/// sort value of the previous page's last row, ?11 limit.
#define SUNDIAL_LIST_USERS(name, value, beyond, direction)                       \
    inline constexpr Statement name{                                             \
        "SELECT " SUNDIAL_USER                                                   \
        " FROM users WHERE 1"                                                    \
        " AND (?1 IS NULL OR timezone IN (SELECT value FROM json_each(?1)))"     \
        " AND (?2 IS NULL OR CAST(substr(date_of_birth, 6, 2) AS INTEGER) = ?2)" \
        " AND (?3 IS NULL OR CAST(substr(date_of_birth, 9, 2) AS INTEGER) = ?3)" \
        " AND (?4 IS NULL OR id BETWEEN ?5 AND ?6"                               \
        "      OR substr(first_name, 1, length(?4)) = ?4"                        \
        "      OR substr(last_name, 1, length(?4)) = ?4"                         \
        "      OR substr(coalesce(external_id, ''), 1, length(?4)) = ?4)"        \
        " AND (?7 IS NULL OR created_at >= ?7)"                                  \
        " AND (?8 IS NULL OR created_at < ?8)"                                   \
        " AND (?9 IS NULL OR (" value ", id) " beyond                            \
        " (?10, ?9))"                                                            \
        " ORDER BY " value " " direction ", id " direction " LIMIT ?11"}
SUNDIAL_LIST_USERS(users_by_creation, "created_at", ">", "ASC");
SUNDIAL_LIST_USERS(users_by_creation_down, "created_at", "<", "DESC");
SUNDIAL_LIST_USERS(users_by_name, "last_name", ">", "ASC");
SUNDIAL_LIST_USERS(users_by_name_down, "last_name", "<", "DESC");
SUNDIAL_LIST_USERS(users_by_update, "updated_at", ">", "ASC");
SUNDIAL_LIST_USERS(users_by_update_down, "updated_at", "<", "DESC");
#undef SUNDIAL_LIST_USERS

/// Inserts nothing if another row has the external id.
inline constexpr Statement add_schedule{"INSERT INTO schedules (" SUNDIAL_SCHEDULE R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
            ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35)
    ON CONFLICT (external_id) DO NOTHING)sql"};
/// Parameters as the columns of add_schedule.
inline constexpr Statement update_schedule{R"sql(
    UPDATE schedules
       SET external_id = ?2, event_type = ?3, priority = ?4, enabled = ?5, note = ?6, kind = ?7,
           yearly_on = ?8, yearly_at = ?9, cron = ?10, ical = ?11, dtstart = ?12, rrule = ?13,
           rdates = ?14, exdates = ?15, every = ?16, per_user = ?17, timezone = ?18,
           endpoint_id = ?19, payload = ?20, gap = ?21, overlap = ?22, leap = ?23, misfire = ?24,
           misfire_window = ?25, misfire_grace = ?26, misfire_limit = ?27, concurrency = ?28,
           jitter = ?29, starts_at = ?30, ends_at = ?31, version = ?32, planned_version = ?33,
           created_at = ?34, updated_at = ?35
     WHERE id = ?1)sql"};
inline constexpr Statement remove_schedule{"DELETE FROM schedules WHERE id = ?1"};
inline constexpr Statement schedule{"SELECT " SUNDIAL_SCHEDULE " FROM schedules WHERE id = ?1"};
inline constexpr Statement schedule_id{"SELECT id FROM schedules WHERE external_id = ?1"};
inline constexpr Statement schedules_per_user{"SELECT " SUNDIAL_SCHEDULE
                                              " FROM schedules WHERE per_user ORDER BY id"};

/// ?1 enabled, ?2 per user, ?3 kinds and ?4 types (JSON arrays), ?5 endpoint, ?6 prefix of id,
/// external id or type, ?7 and ?8 first and last id with that prefix; ?9 id and ?10 creation time
/// of the previous page's last row, ?11 limit.
#define SUNDIAL_LIST_SCHEDULES(name, beyond, direction)                        \
    inline constexpr Statement name{                                           \
        "SELECT " SUNDIAL_SCHEDULE                                             \
        " FROM schedules WHERE (?1 IS NULL OR enabled = ?1)"                   \
        " AND (?2 IS NULL OR per_user = ?2)"                                   \
        " AND (?3 IS NULL OR kind IN (SELECT value FROM json_each(?3)))"       \
        " AND (?4 IS NULL OR event_type IN (SELECT value FROM json_each(?4)))" \
        " AND (?5 IS NULL OR endpoint_id = ?5)"                                \
        " AND (?6 IS NULL OR id BETWEEN ?7 AND ?8"                             \
        "      OR substr(event_type, 1, length(?6)) = ?6"                      \
        "      OR substr(coalesce(external_id, ''), 1, length(?6)) = ?6)"      \
        " AND (?9 IS NULL OR (created_at, id) " beyond                         \
        " (?10, ?9))"                                                          \
        " ORDER BY created_at " direction ", id " direction " LIMIT ?11"}
SUNDIAL_LIST_SCHEDULES(schedules_by_creation, ">", "ASC");
SUNDIAL_LIST_SCHEDULES(schedules_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_SCHEDULES

/// Inserts nothing if another row has the external id.
inline constexpr Statement add_endpoint{"INSERT INTO endpoints (" SUNDIAL_ENDPOINT R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
            ?20, ?21, ?22)
    ON CONFLICT (external_id) DO NOTHING)sql"};
inline constexpr Statement update_endpoint{R"sql(
    UPDATE endpoints
       SET external_id = ?2, name = ?3, type = ?4, url = ?5, headers = ?6, timeout = ?7,
           retry_policy = ?8, retry_delays = ?9, retry_client_errors = ?10, enabled = ?11,
           disabled_reason = ?12, secret_hint = ?13, version = ?14, created_at = ?15,
           updated_at = ?16, rate_per_second = ?17, rate_burst = ?18, max_in_flight = ?19,
           format = ?20, public_key = ?21, signing_keys = ?22
     WHERE id = ?1)sql"};
inline constexpr Statement endpoint{"SELECT " SUNDIAL_ENDPOINT " FROM endpoints WHERE id = ?1"};
inline constexpr Statement endpoint_id{"SELECT id FROM endpoints WHERE external_id = ?1"};

/// ?1 type, ?2 enabled, ?3 prefix of id, external id or name, ?4 and ?5 first and last id with that
/// prefix; ?6 id and ?7 creation time of the previous page's last row, ?8 limit.
#define SUNDIAL_LIST_ENDPOINTS(name, beyond, direction)                   \
    inline constexpr Statement name{                                      \
        "SELECT " SUNDIAL_ENDPOINT                                        \
        " FROM endpoints WHERE (?1 IS NULL OR type = ?1)"                 \
        " AND (?2 IS NULL OR enabled = ?2)"                               \
        " AND (?3 IS NULL OR id BETWEEN ?4 AND ?5"                        \
        "      OR substr(name, 1, length(?3)) = ?3"                       \
        "      OR substr(coalesce(external_id, ''), 1, length(?3)) = ?3)" \
        " AND (?6 IS NULL OR (created_at, id) " beyond                    \
        " (?7, ?6))"                                                      \
        " ORDER BY created_at " direction ", id " direction " LIMIT ?8"}
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation, ">", "ASC");
SUNDIAL_LIST_ENDPOINTS(endpoints_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_ENDPOINTS

#define SUNDIAL_SKIPPED_RUN \
    "id, schedule_id, user_id, reason, first, last, count, next, recorded_at"

/// ?1 schedule, ?2 user, ?3 reason, ?4 first, ?5 last.
inline constexpr Statement knows_run{R"sql(
    SELECT EXISTS (SELECT 1 FROM skipped_runs
                    WHERE schedule_id = ?1 AND user_id IS ?2 AND reason = ?3
                      AND first <= ?4 AND last >= ?5))sql"};
/// ?1 schedule, ?2 user, ?3 reason, ?4 first, ?5 last, ?6 count, ?7 next, ?8 time.
inline constexpr Statement extend_run{R"sql(
    UPDATE skipped_runs SET last = ?5, count = count + ?6, next = ?7, recorded_at = ?8
     WHERE schedule_id = ?1 AND user_id IS ?2 AND reason = ?3 AND next = ?4)sql"};
inline constexpr Statement add_run{"INSERT INTO skipped_runs (" SUNDIAL_SKIPPED_RUN R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))sql"};
inline constexpr Statement remove_runs_of_user{"DELETE FROM skipped_runs WHERE user_id = ?1"};
inline constexpr Statement remove_runs_of_schedule{
    "DELETE FROM skipped_runs WHERE schedule_id = ?1"};

/// ?1 schedule, ?2 user, ?3 and ?4 the range that a run overlaps; ?5 id and ?6 first occurrence of
/// the previous page's last row, ?7 limit.
#define SUNDIAL_LIST_RUNS(name, beyond, direction)                       \
    inline constexpr Statement name{                                     \
        "SELECT " SUNDIAL_SKIPPED_RUN                                    \
        " FROM skipped_runs WHERE (?1 IS NULL OR schedule_id = ?1)"      \
        " AND (?2 IS NULL OR user_id = ?2)"                              \
        " AND (?3 IS NULL OR last >= ?3) AND (?4 IS NULL OR first < ?4)" \
        " AND (?5 IS NULL OR (first, id) " beyond                        \
        " (?6, ?5))"                                                     \
        " ORDER BY first " direction ", id " direction " LIMIT ?7"}
SUNDIAL_LIST_RUNS(skipped_runs, ">", "ASC");
SUNDIAL_LIST_RUNS(skipped_runs_down, "<", "DESC");
#undef SUNDIAL_LIST_RUNS

}  // namespace sundial::sqlite::sql
