#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for operations.
namespace sundial::postgres::sql {

/// $1 to $17: the columns in order.
inline constexpr Statement add_operation{"add_operation", R"sql(
    INSERT INTO sundial.operations
        (id, kind, status, reason, schedule_id, schedule_version, total, done, failed, cursor,
         held_by, claimable_at, version, created_at, updated_at, finished_at, request)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17))sql"};
/// Updates all columns but the id. $1 to $17 as above.
inline constexpr Statement update_operation{"update_operation", R"sql(
    UPDATE sundial.operations
       SET kind = $2, status = $3, reason = $4, schedule_id = $5, schedule_version = $6, total = $7,
           done = $8, failed = $9, cursor = $10, held_by = $11, claimable_at = $12, version = $13,
           created_at = $14, updated_at = $15, finished_at = $16, request = $17
     WHERE id = $1)sql"};
inline constexpr Statement find_operation{"find_operation",
                                          "SELECT * FROM sundial.operations WHERE id = $1"};
inline constexpr Statement lock_operation{"lock_operation", R"sql(
    SELECT * FROM sundial.operations WHERE id = $1 FOR UPDATE)sql"};
/// Never waits for a lock. $1 now.
inline constexpr Statement lock_claimable_operation{"lock_claimable_operation", R"sql(
    SELECT * FROM sundial.operations
     WHERE status = 'RUNNING' AND claimable_at <= $1
     ORDER BY claimable_at LIMIT 1 FOR UPDATE SKIP LOCKED)sql"};
inline constexpr Statement running_operations{"running_operations", R"sql(
    SELECT kind, count(*) FROM sundial.operations WHERE status = 'RUNNING' GROUP BY kind)sql"};
/// Other transactions that start an operation wait until this one ends.
inline constexpr Statement lock_start_of_operation{"lock_start_of_operation", R"sql(
    SELECT pg_advisory_xact_lock(hashtext('sundial.start_of_operation')))sql"};
/// $1 kind.
inline constexpr Statement running_of_kind{"running_of_kind", R"sql(
    SELECT count(*) FROM sundial.operations WHERE status = 'RUNNING' AND kind = $1)sql"};
inline constexpr Statement next_claimable_operation{"next_claimable_operation", R"sql(
    SELECT min(claimable_at) FROM sundial.operations
     WHERE status = 'RUNNING' AND held_by IS NULL)sql"};

/// $1 operation, $2 numbers, $3 subjects, $4 their ids, $5 codes, $6 details.
inline constexpr Statement add_operation_failures{"add_operation_failures", R"sql(
    INSERT INTO sundial.operation_failures (operation_id, number, subject, subject_id, code, detail)
    SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::uuid[], $5::text[], $6::text[]))sql"};
/// $1 operation, $2 number of the previous page's last row (or null), $3 limit.
inline constexpr Statement operation_failures{"operation_failures", R"sql(
    SELECT number, subject, subject_id, code, detail FROM sundial.operation_failures
     WHERE operation_id = $1 AND number > coalesce($2, 0)
     ORDER BY number LIMIT $3)sql"};

/// $1 statuses, $2 kinds, $3 schedule, each null for any; $4 id and $5 creation time of the
/// previous page's last row (null: the first page), $6 limit.
#define SUNDIAL_LIST_OPERATIONS(name, beyond, direction)                     \
    inline constexpr Statement name {                                        \
        #name,                                                               \
            "SELECT * FROM sundial.operations"                               \
            " WHERE ($1::text[] IS NULL OR status = ANY ($1))"               \
            " AND ($2::text[] IS NULL OR kind = ANY ($2))"                   \
            " AND ($3::uuid IS NULL OR schedule_id = $3)"                    \
            " AND ($4::uuid IS NULL OR (created_at, id) " beyond             \
            " ($5::timestamptz, $4))"                                        \
            " ORDER BY created_at " direction ", id " direction " LIMIT $6", \
            Statement::Plan::fresh                                           \
    }
SUNDIAL_LIST_OPERATIONS(operations_by_creation, ">", "ASC");
SUNDIAL_LIST_OPERATIONS(operations_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_OPERATIONS

}  // namespace sundial::postgres::sql
