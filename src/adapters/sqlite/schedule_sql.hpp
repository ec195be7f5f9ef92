#pragma once

#include "adapters/sqlite/statement.hpp"

#define SUNDIAL_SCHEDULE                                                                       \
    "id, external_id, event_type, priority, enabled, note, kind, yearly_on, yearly_at, cron, " \
    "ical, dtstart, rrule, rdates, exdates, every, per_user, timezone, endpoint_id, payload, " \
    "gap, overlap, leap, misfire, misfire_window, misfire_grace, misfire_limit, concurrency, " \
    "jitter, starts_at, ends_at, version, planned_version, created_at, updated_at"

/// SQL of schedules and of their skipped occurrences. In lists a filter is off if its parameter
/// is null. Texts are compared byte by byte.
namespace sundial::sqlite::sql {

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
