#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL of schedules and of their skipped occurrences. Each order of a list is one complete
/// statement, which the preprocessor builds from literals. A filter is off if its parameter is
/// null.
namespace sundial::postgres::sql {

inline constexpr Statement find_schedule{"find_schedule",
                                         "SELECT * FROM sundial.schedules WHERE id = $1"};
inline constexpr Statement find_schedules{"find_schedules", R"sql(
    SELECT * FROM sundial.schedules WHERE id = ANY ($1))sql"};
inline constexpr Statement lock_schedule{"lock_schedule", R"sql(
    SELECT * FROM sundial.schedules WHERE id = $1 FOR UPDATE)sql"};
inline constexpr Statement schedule_of_external_id{"schedule_of_external_id", R"sql(
    SELECT id FROM sundial.schedules WHERE external_id = $1)sql"};
/// $1 ids.
inline constexpr Statement share_schedules{"share_schedules", R"sql(
    SELECT * FROM sundial.schedules WHERE id = ANY ($1) ORDER BY id FOR SHARE)sql"};
inline constexpr Statement share_schedules_per_user{"share_schedules_per_user", R"sql(
    SELECT * FROM sundial.schedules WHERE per_user ORDER BY id FOR SHARE)sql"};
/// $1 ids.
inline constexpr Statement schedules_with_ping{"schedules_with_ping", R"sql(
    SELECT * FROM sundial.schedules WHERE id = ANY ($1) AND ping_url IS NOT NULL)sql"};
/// Transactions that plan a user's events from the schedules that they have read hold this lock. A
/// transaction that adds a per-user schedule waits for them, and they wait for it, so no user
/// misses the new schedule.
inline constexpr Statement keep_schedules{"keep_schedules", R"sql(
    SELECT pg_advisory_xact_lock_shared(hashtext('sundial.schedules_per_user')))sql"};
inline constexpr Statement wait_for_planning{"wait_for_planning", R"sql(
    SELECT pg_advisory_xact_lock(hashtext('sundial.schedules_per_user')))sql"};
/// $1 to $37: the columns in order.
inline constexpr Statement add_schedule{"add_schedule", R"sql(
    INSERT INTO sundial.schedules
        (id, external_id, event_type, priority, enabled, note, kind, yearly_on, yearly_at,
         cron, ical, dtstart, rrule, rdates, exdates, every, per_user, timezone,
         endpoint_id, payload, gap, overlap, leap, misfire, misfire_window, misfire_grace,
         misfire_limit, concurrency, jitter, starts_at, ends_at, version, planned_version,
         created_at, updated_at, tags, ping_url)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
            $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35,
            $36, $37)
    ON CONFLICT (external_id) DO NOTHING)sql"};
/// $1 to $37 as above.
inline constexpr Statement update_schedule{"update_schedule", R"sql(
    UPDATE sundial.schedules
       SET external_id = $2, event_type = $3, priority = $4, enabled = $5, note = $6, kind = $7,
           yearly_on = $8, yearly_at = $9, cron = $10, ical = $11, dtstart = $12, rrule = $13,
           rdates = $14, exdates = $15, every = $16, per_user = $17, timezone = $18,
           endpoint_id = $19, payload = $20, gap = $21, overlap = $22, leap = $23, misfire = $24,
           misfire_window = $25, misfire_grace = $26, misfire_limit = $27, concurrency = $28,
           jitter = $29, starts_at = $30, ends_at = $31, version = $32, planned_version = $33,
           created_at = $34, updated_at = $35, tags = $36, ping_url = $37
     WHERE id = $1)sql"};
inline constexpr Statement remove_schedule{"remove_schedule", R"sql(
    DELETE FROM sundial.schedules WHERE id = $1)sql"};

/// $1 enabled, $2 per user, $3 kinds, $4 types, $5 endpoint, $6 prefix of id, external id or type;
/// $7 id and $8 creation time of the previous page's last row (null: the first page), $9 limit, $10
/// tag.
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
            " AND ($10::text IS NULL OR $10 = ANY (tags))"                          \
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

}  // namespace sundial::postgres::sql
