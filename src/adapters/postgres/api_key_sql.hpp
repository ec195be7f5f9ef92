#pragma once

#include "adapters/postgres/statement.hpp"

/// SQL statements for API keys.
namespace sundial::postgres::sql {

/// $1 to $8: the columns in order.
inline constexpr Statement add_api_key{"add_api_key", R"sql(
    INSERT INTO sundial.api_keys
        (id, name, role, secret_hash, expires_at, last_used_at, version, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8))sql"};
/// Others that add or remove keys wait until this transaction is over.
inline constexpr Statement lock_api_keys{"lock_api_keys", R"sql(
    SELECT pg_advisory_xact_lock(hashtext('sundial.api_keys')))sql"};
inline constexpr Statement remove_api_key{"remove_api_key",
                                          "DELETE FROM sundial.api_keys WHERE id = $1"};
inline constexpr Statement all_api_keys{"all_api_keys",
                                        "SELECT * FROM sundial.api_keys ORDER BY id"};
/// $1 key, $2 time of use.
inline constexpr Statement note_use_of_api_key{"note_use_of_api_key", R"sql(
    UPDATE sundial.api_keys SET last_used_at = $2 WHERE id = $1)sql"};

/// $1 id and $2 creation time of the previous page's last row (null: the first page), $3 limit.
#define SUNDIAL_LIST_API_KEYS(name, beyond, direction)                       \
    inline constexpr Statement name {                                        \
        #name,                                                               \
            "SELECT * FROM sundial.api_keys"                                 \
            " WHERE ($1::uuid IS NULL OR (created_at, id) " beyond           \
            " ($2::timestamptz, $1))"                                        \
            " ORDER BY created_at " direction ", id " direction " LIMIT $3", \
            Statement::Plan::fresh                                           \
    }
SUNDIAL_LIST_API_KEYS(api_keys_by_creation, ">", "ASC");
SUNDIAL_LIST_API_KEYS(api_keys_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_API_KEYS

}  // namespace sundial::postgres::sql
