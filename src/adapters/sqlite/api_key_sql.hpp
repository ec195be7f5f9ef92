#pragma once

#include "adapters/sqlite/statement.hpp"

#define SUNDIAL_API_KEY "id, name, role, secret_hash, expires_at, last_used_at, version, created_at"

/// SQL statements for API keys.
namespace sundial::sqlite::sql {

inline constexpr Statement add_api_key{"INSERT INTO api_keys (" SUNDIAL_API_KEY R"sql()
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))sql"};
inline constexpr Statement remove_api_key{"DELETE FROM api_keys WHERE id = ?1"};
inline constexpr Statement api_keys{"SELECT " SUNDIAL_API_KEY " FROM api_keys ORDER BY id"};
/// ?2 time of use.
inline constexpr Statement note_use_of_api_key{
    "UPDATE api_keys SET last_used_at = ?2 WHERE id = ?1"};

/// ?1 id and ?2 creation time of the previous page's last row, ?3 limit.
#define SUNDIAL_LIST_API_KEYS(name, beyond, direction)                                  \
    inline constexpr Statement name{"SELECT " SUNDIAL_API_KEY                           \
                                    " FROM api_keys"                                    \
                                    " WHERE (?1 IS NULL OR (created_at, id) " beyond    \
                                    " (?2, ?1))"                                        \
                                    " ORDER BY created_at " direction ", id " direction \
                                    " LIMIT ?3"}
SUNDIAL_LIST_API_KEYS(api_keys_by_creation, ">", "ASC");
SUNDIAL_LIST_API_KEYS(api_keys_by_creation_down, "<", "DESC");
#undef SUNDIAL_LIST_API_KEYS

}  // namespace sundial::sqlite::sql
