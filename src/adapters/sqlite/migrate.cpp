#include "adapters/sqlite/migrate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
#include "adapters/sqlite/value.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"
#include "sqlite_migrations.hpp"

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

namespace sundial::sqlite {
namespace {

/// FNV-1a, 64 bits: detects mistakes, not attacks.
std::string checksum_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.begin(), digits.end(), hash, 16).ptr;
    std::string hex(16 - static_cast<std::size_t>(end - digits.begin()), '0');
    return hex.append(digits.begin(), end);
}

struct Script {
    Migration migration;
    std::string_view text;
};

/// The migration in a file such as `0001_first.sql`.
Script script_of(const base::EmbeddedFile& file) {
    const auto bar = file.name.find('_');
    const auto dot = file.name.rfind('.');
    const int version = std::stoi(std::string{file.name.substr(0, bar)});
    base::check(version > 0 && dot > bar);
    return {
        {version, std::string{file.name.substr(bar + 1, dot - bar - 1)}, checksum_of(file.content)},
        file.content};
}

std::vector<Script> scripts() {
    std::vector<Script> all;
    for (const auto& file : migrations::embedded_files) all.push_back(script_of(file));
    return all;
}

std::vector<Migration> read_applied(Connection& connection) {
    {
        auto row = connection.query(sql::tables);
        base::check(row.next());
        if (row.get<int>(0) == 0) return {};
        if (row.get<int>(1) == 0) {
            throw CannotStart{
                "the file is the SQLite database of another program: it has tables, but not "
                "Sundial's. Give another file (storage.url)"};
        }
    }
    return all_of(connection.query(sql::applied_migrations), [](Cursor& row) {
        return Migration{row.take<int>(), row.take<std::string>(), row.take<std::string>()};
    });
}

void apply(Connection& connection, const Script& script, Instant now) {
    connection.execute(sql::begin_write);
    try {
        connection.execute(sql::make_schema_migrations);
        connection.run(std::string{script.text});
        connection.execute(sql::add_migration, script.migration.version, script.migration.name,
                           script.migration.checksum, now);
        CRASH_POINT("migrate: before commit");
        connection.execute(sql::commit);
        CRASH_POINT("migrate: after commit");
    } catch (...) {
        connection.roll_back();
        throw;
    }
}

}  // namespace

MigrationStatus read_migrations(Connection& connection) {
    MigrationStatus status{read_applied(connection), {}};
    const auto ours = scripts();
    const int newest = ours.back().migration.version;
    for (const Migration& applied : status.applied) {
        if (applied.version > newest) {
            throw CannotStart{"the database is at schema version " +
                              std::to_string(status.applied.back().version) +
                              ", this program knows versions up to " + std::to_string(newest) +
                              ". Use the newer program that migrated it, or a backup from before"};
        }
        const auto same = std::find_if(ours.begin(), ours.end(), [&](const Script& script) {
            return script.migration.version == applied.version;
        });
        if (same == ours.end() || same->migration.checksum != applied.checksum) {
            throw CannotStart{"migration " + std::to_string(applied.version) + " (" + applied.name +
                              ") of the database differs from this program's: another build "
                              "created it. Use that build, or give another file (storage.url)"};
        }
    }
    for (const Script& script : ours) {
        const auto known = std::find_if(
            status.applied.begin(), status.applied.end(),
            [&](const Migration& applied) { return applied.version == script.migration.version; });
        if (known == status.applied.end()) status.pending.push_back(script.migration);
    }
    return status;
}

MigrationStatus nothing_applied() {
    MigrationStatus status;
    for (const Script& script : scripts()) status.pending.push_back(script.migration);
    return status;
}

std::vector<Migration> apply_migrations(Connection& connection, const FirstValues& values,
                                        base::Log& log) {
    auto pending = read_migrations(connection).pending;
    if (pending.empty()) return pending;
    connection.execute(sql::make_given);
    connection.execute(sql::give, std::string_view{"clock"},
                       std::string_view{values.test_clock ? "test" : "system"});
    connection.execute(sql::give, std::string_view{"now"}, values.now);
    connection.execute(sql::give, std::string_view{"birthday_time"},
                       format_time_of_day(values.birthday_time));
    for (const Script& script : scripts()) {
        if (std::none_of(pending.begin(), pending.end(), [&](const Migration& one) {
                return one.version == script.migration.version;
            })) {
            continue;
        }
        apply(connection, script, values.now);
        log.write({.level = base::LogLevel::info,
                   .event_name = {},
                   .message = "applied migration " + std::to_string(script.migration.version) +
                              " (" + script.migration.name + ")",
                   .correlation_id = {},
                   .fields = {}});
    }
    connection.run("ANALYZE");
    return pending;
}

}  // namespace sundial::sqlite
