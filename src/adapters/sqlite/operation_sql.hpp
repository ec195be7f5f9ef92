#pragma once

#include "adapters/sqlite/statement.hpp"

#define SUNDIAL_OPERATION                                                            \
    "id, kind, status, reason, schedule_id, schedule_version, total, done, failed, " \
    "cursor, held_by, claimable_at, version, created_at, updated_at, finished_at, request"

/// SQL statements for operations.
namespace sundial::sqlite::sql {

inline constexpr Statement add_operation{"INSERT INTO operations (" SUNDIAL_OPERATION R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17))sql"};
inline constexpr Statement update_operation{R"sql(
    UPDATE operations
       SET kind = ?2, status = ?3, reason = ?4, schedule_id = ?5, schedule_version = ?6, total = ?7,
           done = ?8, failed = ?9, cursor = ?10, held_by = ?11, claimable_at = ?12, version = ?13,
           created_at = ?14, updated_at = ?15, finished_at = ?16, request = ?17
     WHERE id = ?1)sql"};
inline constexpr Statement operation{"SELECT " SUNDIAL_OPERATION " FROM operations WHERE id = ?1"};
/// ?1 now.
inline constexpr Statement claimable_operation{"SELECT " SUNDIAL_OPERATION R"sql(
      FROM operations INDEXED BY operations_running
     WHERE status = 'RUNNING' AND claimable_at <= ?1
     ORDER BY claimable_at LIMIT 1)sql"};
inline constexpr Statement operations_by_kind{R"sql(
    SELECT kind, count(*) FROM operations WHERE status = 'RUNNING' GROUP BY kind)sql"};
inline constexpr Statement running_of_kind{
    "SELECT count(*) FROM operations WHERE status = 'RUNNING' AND kind = ?1"};
inline constexpr Statement next_claimable_operation{R"sql(
    SELECT min(claimable_at) FROM operations INDEXED BY operations_running
     WHERE status = 'RUNNING' AND held_by IS NULL)sql"};

/// ?1 operation, ?2 number, then the other columns in order.
inline constexpr Statement add_operation_failure{R"sql(
    INSERT INTO operation_failures (operation_id, number, subject, subject_id, code, detail)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6))sql"};
/// ?1 operation, ?2 number of the previous page's last row (or null), ?3 limit.
inline constexpr Statement operation_failures{R"sql(
    SELECT number, subject, subject_id, code, detail FROM operation_failures
     WHERE operation_id = ?1 AND number > coalesce(?2, 0)
     ORDER BY number LIMIT ?3)sql"};

/// ?1 statuses and ?2 kinds (JSON arrays), ?3 schedule, each null for any; ?4 id and ?5 creation
/// time of the previous page's last row, ?6 limit.
#define SUNDIAL_LIST_OPERATIONS(name, beyond, direction)                     \
    inline constexpr Statement name{                                         \
        "SELECT " SUNDIAL_OPERATION                                          \
        " FROM operations"                                                   \
        " WHERE (?1 IS NULL OR status IN (SELECT value FROM json_each(?1)))" \
        " AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2)))"     \
        " AND (?3 IS NULL OR schedule_id = ?3)"                              \
        " AND (?4 IS NULL OR (created_at, id) " beyond                       \
        " (?5, ?4))"                                                         \
        " ORDER BY created_at " direction ", id " direction " LIMIT ?6"}
SUNDIAL_LIST_OPERATIONS(operations_by_creation, ">", "ASC");
SUNDIAL_LIST_OPERATIONS(operations_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_OPERATIONS

}  // namespace sundial::sqlite::sql
