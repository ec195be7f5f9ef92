#pragma once

#include "adapters/sqlite/statement.hpp"

namespace sundial::sqlite::sql {

inline constexpr Statement tables{R"sql(
    SELECT count(*), coalesce(sum(name = 'schema_migrations'), 0)
      FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\')sql"};
inline constexpr Statement applied_migrations{
    "SELECT version, name, checksum FROM schema_migrations ORDER BY version"};
inline constexpr Statement make_schema_migrations{R"sql(
    CREATE TABLE IF NOT EXISTS schema_migrations (
        version    INTEGER NOT NULL PRIMARY KEY,
        name       TEXT    NOT NULL,
        checksum   TEXT    NOT NULL,
        applied_at INTEGER NOT NULL
    ) STRICT)sql"};
inline constexpr Statement add_migration{
    "INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)"};

/// Values for the scripts of migrations, which cannot have parameters.
inline constexpr Statement make_given{
    "CREATE TEMP TABLE IF NOT EXISTS given (name TEXT NOT NULL PRIMARY KEY, value ANY) STRICT"};
inline constexpr Statement give{"INSERT OR REPLACE INTO temp.given VALUES (?1, ?2)"};

}  // namespace sundial::sqlite::sql
