#include "adapters/sqlite/backup.hpp"

#include <sqlite3.h>

#include <map>
#include <memory>

#include "adapters/sqlite/backup_file.hpp"
#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/migrate.hpp"
#include "application/ports/failures.hpp"
#include "base/crash_point.hpp"

namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;

/// Pages of one step, 4 MB: after each the progress is shown.
constexpr int pages_of_a_step = 4 * 1024 * 1024 / page_size;

struct TableSum {
    std::int64_t rows = 0;
    std::string sha256{};
};

/// Of the values of all rows in the order of the table's own tree. Each value is preceded by its
/// type and its length, so that no two contents give the same bytes.
TableSum sum_of(sqlite3* database, const std::string& table, const NewDigest& digest) {
    const auto sum = digest();
    BackupRows rows{database, "SELECT * FROM " + quoted_name(table) + " NOT INDEXED"};
    TableSum result;
    std::string row;
    const int columns = sqlite3_column_count(rows.raw());
    while (rows.next()) {
        ++result.rows;
        row.clear();
        for (int column = 0; column < columns; ++column) {
            const int type = sqlite3_column_type(rows.raw(), column);
            const auto* bytes = static_cast<const char*>(sqlite3_column_blob(rows.raw(), column));
            const auto size = static_cast<std::size_t>(sqlite3_column_bytes(rows.raw(), column));
            row += std::to_string(type) + ':' + std::to_string(size) + ':';
            if (bytes) row.append(bytes, size);
        }
        sum->add(row);
    }
    result.sha256 = sum->finish();
    return result;
}

void find_damage(sqlite3* database, DatabaseContent& content) {
    BackupRows integrity{database, "PRAGMA integrity_check(20)"};
    while (integrity.next()) {
        if (integrity.text(0) != "ok")
            content.faults.push_back("integrity_check: " + integrity.text(0));
    }
    BackupRows relations{database, "PRAGMA foreign_key_check"};
    while (relations.next() && content.faults.size() < 100) {
        content.faults.push_back("table " + relations.text(0) + ": row " + relations.text(1) +
                                 " refers to a row of " + relations.text(2) + " that is missing");
    }
}

struct Invariant {
    const char* broken;  // follows a number
    const char* sql;     // counts the rows that break it
};
constexpr Invariant invariants[] = {
    {"live events belong to users that do not exist",
     "SELECT count(*) FROM events WHERE user_id IS NOT NULL"
     " AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = events.user_id)"},
    {"live events go to endpoints that do not exist",
     "SELECT count(*) FROM events WHERE endpoint_id IS NOT NULL"
     " AND NOT EXISTS (SELECT 1 FROM endpoints WHERE endpoints.id = events.endpoint_id)"},
    {"events are live and finished at once",
     "SELECT count(*) FROM events"
     " WHERE EXISTS (SELECT 1 FROM event_history AS done WHERE done.id = events.id)"},
    {"live events have a version or an attempt below its minimum",
     "SELECT count(*) FROM events WHERE version < 1 OR attempt < 0 OR retry_count > attempt"},
};

void find_broken_invariants(sqlite3* database, DatabaseContent& content) {
    for (const Invariant& each : invariants) {
        const std::int64_t broken = number_of(database, each.sql);
        if (broken > 0) content.faults.push_back(std::to_string(broken) + " " + each.broken);
    }
}

void compare_digests(sqlite3* database, const NewDigest& digest, DatabaseContent& content) {
    std::map<std::string, TableSum> expected;
    BackupRows rows{database, "SELECT name, rows, sha256 FROM sundial_backup_tables"};
    while (rows.next()) expected[rows.text(0)] = {rows.number(1), rows.text(2)};
    for (const std::string& table : tables_to_save(database)) {
        const auto known = expected.extract(table);
        if (known.empty()) {
            content.faults.push_back("table " + table + " is not one of those that were saved");
            continue;
        }
        const TableSum found = sum_of(database, table, digest);
        content.rows.emplace_back(table, found.rows);
        if (found.rows != known.mapped().rows) {
            content.faults.push_back("table " + table + " has " + std::to_string(found.rows) +
                                     " rows, " + std::to_string(known.mapped().rows) +
                                     " were saved");
        } else if (found.sha256 != known.mapped().sha256) {
            content.faults.push_back("table " + table + " differs from the saved one (SHA-256)");
        }
    }
    for (const auto& [table, sum] : expected)
        content.faults.push_back("table " + table + " is missing");
}

/// Copies pages as of one instant: `from` has an open transaction that reads.
void copy_pages(sqlite3* from, const BackupFile& to, const OnPages& on_pages) {
    struct End {
        void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
    };
    std::unique_ptr<sqlite3_backup, End> copy{
        sqlite3_backup_init(to.handle(), "main", from, "main")};
    if (!copy) to.fail();
    for (;;) {
        const int code = sqlite3_backup_step(copy.get(), pages_of_a_step);
        const std::int64_t all = sqlite3_backup_pagecount(copy.get());
        if (on_pages) on_pages(all - sqlite3_backup_remaining(copy.get()), all);
        CRASH_POINT("backup: after a step");
        if (code == SQLITE_DONE) return;
        if (code != SQLITE_OK) {
            throw Unavailable{std::string{"the backup failed: "} + sqlite3_errstr(code)};
        }
    }
}

}  // namespace

DatabaseContent check_database(const fs::path& file, const NewDigest& digest, bool must_be_backup) {
    if (!fs::exists(file)) throw CannotStart{"there is no file " + file.string()};
    DatabaseContent content;
    try {
        const BackupFile opened{name_to_read(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI};
        sqlite3* const database = opened.handle();
        opened.run("BEGIN");
        if (!has_table(database, "schema_migrations")) {
            content.faults.emplace_back("this is not a database of sundial");
            return content;
        }
        content.schema_version = static_cast<int>(
            number_of(database, "SELECT coalesce(max(version), 0) FROM schema_migrations"));
        find_damage(database, content);
        find_broken_invariants(database, content);
        if (digest && has_table(database, "sundial_backup_tables")) {
            compare_digests(database, digest, content);
            return content;
        }
        if (must_be_backup) {
            content.faults.emplace_back(
                "it has no digests: `sundial db backup` did not complete it");
        }
        for (const std::string& table : tables_to_save(database)) {
            content.rows.emplace_back(
                table, number_of(database, "SELECT count(*) FROM " + quoted_name(table)));
        }
    } catch (const Corrupt& error) {
        content.faults.emplace_back(error.what());
    }
    return content;
}

DatabaseContent back_up(const fs::path& file, const fs::path& to, const NewDigest& digest,
                        const OnPages& on_pages) {
    std::map<std::string, std::int64_t> saved;
    {
        Connection source{file, Connection::Role::reader};
        source.run("BEGIN");
        for (const std::string& table : tables_to_save(source.handle())) {
            saved[table] = number_of(source.handle(), "SELECT count(*) FROM " + quoted_name(table));
        }
        const BackupFile copy{to.string(), SQLITE_OPEN_READWRITE};
        copy_pages(source.handle(), copy, on_pages);
        source.roll_back();
        // One file, without a log beside it.
        copy.run(
            "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN;"
            "CREATE TABLE IF NOT EXISTS sundial_backup_tables ("
            " name TEXT NOT NULL PRIMARY KEY, rows INTEGER NOT NULL,"
            " sha256 TEXT NOT NULL) STRICT;"
            "DELETE FROM sundial_backup_tables;");
        for (const auto& [table, rows] : saved) {
            const TableSum sum = sum_of(copy.handle(), table, digest);
            if (sum.rows != rows) {
                throw Corrupt{"table " + table + ": " + std::to_string(rows) +
                              " rows were read, but the copy has " + std::to_string(sum.rows)};
            }
            BackupRows insert{copy.handle(),
                              "INSERT INTO sundial_backup_tables VALUES (?1, ?2, ?3)"};
            insert.bind(1, table);
            insert.bind(2, sum.rows);
            insert.bind(3, sum.sha256);
            insert.next();
        }
        copy.run("COMMIT");
    }
    CRASH_POINT("backup: before the check");
    DatabaseContent content = check_database(to, digest, true);
    if (!content.faults.empty()) {
        throw Corrupt{"the backup was not kept, because its check failed: " +
                      content.faults.front() + ". Check the database with `sundial db check`"};
    }
    return content;
}

RestoredWork restore_database(const fs::path& backup, const fs::path& file,
                              const RestoreTerms& terms, const NewDigest& digest, Instant now) {
    const DatabaseContent content = check_database(backup, digest, true);
    if (!content.faults.empty()) {
        throw CannotStart{"the backup " + backup.string() + " cannot be restored: " +
                          content.faults.front() + ". Nothing has changed"};
    }
    const FileLock lock{file};
    if (!terms.replace) {
        refuse_used(file, "Give --replace to delete it, or another file");
    }
    const fs::path partial = file.string() + "-restoring";
    make_empty(partial);
    RestoredWork work;
    try {
        fs::copy_file(backup, partial, fs::copy_options::overwrite_existing);
        fs::permissions(partial, fs::perms::owner_read | fs::perms::owner_write);
        // The copy, in case the disk returned other bytes this time.
        const DatabaseContent copied = check_database(partial, digest, true);
        if (!copied.faults.empty()) throw Corrupt{"the copy is damaged: " + copied.faults.front()};
        {
            Connection migrations{partial, Connection::Role::reader};
            (void)read_migrations(migrations);  // refuses a newer schema
        }
        {
            const BackupFile restored{partial.string(), SQLITE_OPEN_READWRITE};
            restored.run("PRAGMA synchronous = FULL; BEGIN; DROP TABLE sundial_backup_tables;");
            work.claims_ended = end_claims(restored, now);
            work = [&] {
                RestoredWork left = work_left(restored.handle(), now);
                left.claims_ended = work.claims_ended;
                return left;
            }();
            restored.run("COMMIT");
        }
        if (terms.dry_run) {
            remove_quietly(partial);
            return work;
        }
        CRASH_POINT("restore: before the rename");
        finish_log(file);
        rename_for_good(partial, file);
        return work;
    } catch (...) {
        remove_quietly(partial);
        throw;
    }
}

}  // namespace sundial::sqlite
