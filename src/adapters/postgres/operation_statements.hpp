#pragma once

#include "adapters/postgres/statement.hpp"

/// The statements of operations.
namespace sundial::postgres::sql {

/// $1 to $16: the columns in order.
inline constexpr Statement add_operation{"add_operation", R"sql(
    INSERT INTO sundial.operations
        (id, kind, status, reason, schedule_id, schedule_version, total, done, failed, cursor,
         held_by, claimable_at, version, created_at, updated_at, finished_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16))sql"};
/// All but the id. $1 to $16 as above.
inline constexpr Statement update_operation{"update_operation", R"sql(
    UPDATE sundial.operations
       SET kind = $2, status = $3, reason = $4, schedule_id = $5, schedule_version = $6, total = $7,
           done = $8, failed = $9, cursor = $10, held_by = $11, claimable_at = $12, version = $13,
           created_at = $14, updated_at = $15, finished_at = $16
     WHERE id = $1)sql"};
inline constexpr Statement find_operation{"find_operation",
                                          "SELECT * FROM sundial.operations WHERE id = $1"};
inline constexpr Statement lock_operation{"lock_operation", R"sql(
    SELECT * FROM sundial.operations WHERE id = $1 FOR UPDATE)sql"};
/// Never waits. $1 now.
inline constexpr Statement lock_claimable_operation{"lock_claimable_operation", R"sql(
    SELECT * FROM sundial.operations
     WHERE status = 'RUNNING' AND claimable_at <= $1
     ORDER BY claimable_at LIMIT 1 FOR UPDATE SKIP LOCKED)sql"};
inline constexpr Statement running_operations{"running_operations", R"sql(
    SELECT kind, count(*) FROM sundial.operations WHERE status = 'RUNNING' GROUP BY kind)sql"};

/// $1 statuses, $2 kinds, $3 schedule, each null where all will do; $4 id and $5 creation of the
/// last row of the page before (null: the first page), $6 limit.
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
