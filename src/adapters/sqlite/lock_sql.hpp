#pragma once

#include "adapters/sqlite/statement.hpp"

/// SQL statements for locks.
namespace sundial::sqlite::sql {

inline constexpr Statement find_lock{R"sql(
    SELECT name, fencing_token, token_hash, holder, acquired_at, expires_at
      FROM locks WHERE name = ?1)sql"};
/// Adds a lock that has never been held.
inline constexpr Statement add_lock{R"sql(
    INSERT INTO locks (name, fencing_token, token_hash, holder, acquired_at, expires_at)
    VALUES (?1, 0, x'', '', 0, 0) ON CONFLICT DO NOTHING)sql"};
/// ?1 to ?6: the columns in order.
inline constexpr Statement update_lock{R"sql(
    UPDATE locks
       SET fencing_token = ?2, token_hash = ?3, holder = ?4, acquired_at = ?5, expires_at = ?6
     WHERE name = ?1)sql"};
/// ?1 now, ?2 prefix of the name or null, ?3 the previous page's last name or null, ?4 limit.
inline constexpr Statement held_locks{R"sql(
    SELECT name, fencing_token, token_hash, holder, acquired_at, expires_at
      FROM locks
     WHERE token_hash <> x'' AND expires_at > ?1
       AND (?2 IS NULL OR substr(name, 1, length(?2)) = ?2)
       AND (?3 IS NULL OR name > ?3)
     ORDER BY name LIMIT ?4)sql"};

}  // namespace sundial::sqlite::sql
