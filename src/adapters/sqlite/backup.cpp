#include "adapters/sqlite/backup.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <system_error>

#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/migrate.hpp"
#include "application/ports/failures.hpp"
#include "base/crash_point.hpp"

// Reads tables that later migrations may add, so it works with names of tables at run time, on
// plain sqlite3 statements.
namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;

/// Pages of one step, 4 MB: after each the progress is shown.
constexpr int pages_of_a_step = 1024;

/// A database opened for a backup, outside of the pool.
class BackupFile {
public:
    BackupFile(const std::string& name, int flags) {
        sqlite3* opened = nullptr;
        const int code =
            sqlite3_open_v2(name.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
        database_.reset(opened);
        if (code != SQLITE_OK)
            throw CannotStart{"cannot open " + name + ": " + sqlite3_errstr(code)};
        sqlite3_busy_timeout(opened, 5'000);
    }
    [[nodiscard]] sqlite3* handle() const { return database_.get(); }
    void run(const std::string& sql) const {
        if (sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
    }
    [[noreturn]] void fail() const { throw Corrupt{sqlite3_errmsg(handle())}; }

private:
    struct Close {
        void operator()(sqlite3* database) const { sqlite3_close(database); }
    };
    std::unique_ptr<sqlite3, Close> database_;
};

/// One execution of a statement made at run time.
class BackupRows {
public:
    BackupRows(sqlite3* database, const std::string& sql) : database_{database} {
        sqlite3_stmt* made = nullptr;
        const int code = sqlite3_prepare_v2(database, sql.c_str(), -1, &made, nullptr);
        statement_.reset(made);
        if (code != SQLITE_OK) throw Corrupt{sqlite3_errmsg(database)};
    }
    void bind(int parameter, const std::string& text) {
        sqlite3_bind_text(statement_.get(), parameter, text.c_str(), -1, SQLITE_TRANSIENT);
    }
    void bind(int parameter, std::int64_t value) {
        sqlite3_bind_int64(statement_.get(), parameter, value);
    }
    bool next() {
        const int code = sqlite3_step(statement_.get());
        if (code == SQLITE_ROW) return true;
        if (code == SQLITE_DONE) return false;
        throw Corrupt{sqlite3_errmsg(database_)};
    }
    [[nodiscard]] std::int64_t number(int column) const {
        return sqlite3_column_int64(statement_.get(), column);
    }
    [[nodiscard]] std::string text(int column) const {
        const auto* text =
            reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
        return text ? text : "";
    }
    [[nodiscard]] sqlite3_stmt* raw() const { return statement_.get(); }

private:
    struct Finish {
        void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
    };
    sqlite3* database_;
    std::unique_ptr<sqlite3_stmt, Finish> statement_;
};

std::string quoted_name(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string{"\"\""} : std::string{c};
    return text + "\"";
}

std::vector<std::string> tables_to_save(sqlite3* database) {
    BackupRows rows{database,
                    "SELECT name FROM sqlite_schema WHERE type = 'table'"
                    " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                    " AND name NOT LIKE 'sundial\\_backup%' ESCAPE '\\' ORDER BY name"};
    std::vector<std::string> names;
    while (rows.next()) names.push_back(rows.text(0));
    return names;
}

std::int64_t number_of(sqlite3* database, const std::string& sql) {
    BackupRows rows{database, sql};
    return rows.next() ? rows.number(0) : 0;
}

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

bool has_table(sqlite3* database, const char* name) {
    BackupRows rows{database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1"};
    rows.bind(1, name);
    return rows.next();
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

/// Without a log beside it nothing writes to the file, and SQLite needs to create nothing.
std::string name_to_read(const fs::path& file) {
    if (fs::exists(file.string() + "-wal")) return file.string();
    std::string name = "file:";
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char c : fs::absolute(file).string()) {
        if (c == '%' || c == '?' || c == '#') {
            name += '%';
            name += digits[static_cast<unsigned char>(c) >> 4];
            name += digits[static_cast<unsigned char>(c) & 15];
        } else {
            name += c;
        }
    }
    return name + "?immutable=1";
}

void sync_to_disk(const fs::path& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
    const bool synced = descriptor >= 0 && ::fsync(descriptor) == 0;
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    if (!synced) {
        throw CannotStart{"cannot write " + path.string() +
                          " to the disk: " + std::generic_category().message(error)};
    }
}

/// After this the file has its new name even if the power fails.
void rename_for_good(const fs::path& from, const fs::path& to) {
    sync_to_disk(from, O_RDWR);
    fs::rename(from, to);
    sync_to_disk(fs::absolute(to).parent_path(), O_RDONLY | O_DIRECTORY);
}

/// An empty file of mode 0600, in place of one that an interrupted command has left.
void make_empty(const fs::path& file) {
    for (const char* const ending : {"", "-journal", "-wal", "-shm"}) {
        fs::remove(file.string() + ending);
    }
    const int made = open_private(file);
    if (made < 0) {
        throw CannotStart{"cannot create " + file.string() + ": " +
                          std::generic_category().message(errno)};
    }
    ::close(made);
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

void remove_quietly(const fs::path& file) noexcept {
    std::error_code ignored;
    for (const char* const ending : {"", "-journal", "-wal", "-shm"}) {
        fs::remove(file.string() + ending, ignored);
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
    if (!fs::exists(file)) throw CannotStart{"there is no database " + file.string()};
    if (fs::exists(to)) throw CannotStart{to.string() + " exists already. Give another name"};
    const fs::path partial = to.string() + ".partial";
    make_empty(partial);
    try {
        std::map<std::string, std::int64_t> saved;
        {
            Connection source{file, Connection::Role::reader};
            source.run("BEGIN");
            for (const std::string& table : tables_to_save(source.handle())) {
                saved[table] =
                    number_of(source.handle(), "SELECT count(*) FROM " + quoted_name(table));
            }
            const BackupFile copy{partial.string(), SQLITE_OPEN_READWRITE};
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
        DatabaseContent content = check_database(partial, digest, true);
        if (!content.faults.empty()) {
            throw Corrupt{"the backup was not kept, because its check failed: " +
                          content.faults.front() + ". Check the database with `sundial db check`"};
        }
        rename_for_good(partial, to);
        return content;
    } catch (...) {
        remove_quietly(partial);
        throw;
    }
}

namespace {

void refuse_used(const fs::path& file) {
    if (!fs::exists(file) || fs::file_size(file) == 0) return;
    const BackupFile old{file.string(), SQLITE_OPEN_READWRITE};
    const bool is_ours = has_table(old.handle(), "events") && has_table(old.handle(), "users");
    const bool used = !is_ours || number_of(old.handle(),
                                            "SELECT EXISTS (SELECT 1 FROM events)"
                                            " OR EXISTS (SELECT 1 FROM event_history)"
                                            " OR EXISTS (SELECT 1 FROM users)"
                                            // The first migration stores one.
                                            " OR EXISTS (SELECT 1 FROM schedules WHERE version > 1"
                                            " OR external_id IS NOT 'birthday')"
                                            " OR EXISTS (SELECT 1 FROM endpoints)"
                                            " OR EXISTS (SELECT 1 FROM api_keys)"
                                            " OR EXISTS (SELECT 1 FROM outboxes)"
                                            " OR EXISTS (SELECT 1 FROM streams)"
                                            " OR EXISTS (SELECT 1 FROM checkpoints)"
                                            " OR EXISTS (SELECT 1 FROM recorded_events)") != 0;
    if (used) {
        throw CannotStart{"the database " + file.string() +
                          " has data. Give --replace to delete it, or another file"};
    }
}

/// The log of the old file must not survive it: SQLite would apply it to the new one. A damaged or
/// missing file cannot take its log in, so the log is deleted.
void finish_log(const fs::path& file) {
    if (!fs::exists(file.string() + "-wal")) return;
    bool lost = !fs::exists(file);
    if (!lost) {
        const BackupFile old{file.string(), SQLITE_OPEN_READWRITE};
        constexpr const char* finish =
            "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE";
        const int code = sqlite3_exec(old.handle(), finish, nullptr, nullptr, nullptr) & 0xff;
        lost = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
        if (code != SQLITE_OK && !lost) old.fail();
    }
    if (lost) {
        for (const char* const ending : {"-wal", "-shm"}) fs::remove(file.string() + ending);
    }
    if (fs::exists(file.string() + "-wal")) {
        throw CannotStart{"another program has " + file.string() +
                          " open. Close it, then restore again"};
    }
}

/// Ends all claims: an event that was being sent may have arrived, and will be sent again. The new
/// version fences their holders.
std::int64_t end_claims(const BackupFile& restored, Instant now) {
    BackupRows update{
        restored.handle(),
        "UPDATE events SET claimable_at = min(claimable_at, ?1), version = version + 1"
        " WHERE claimed_by IS NOT NULL"};
    update.bind(1, static_cast<std::int64_t>(now.time_since_epoch().count()));
    update.next();
    return sqlite3_changes64(restored.handle());
}

RestoredWork work_left(sqlite3* database, Instant now) {
    RestoredWork work;
    work.live = number_of(database, "SELECT count(*) FROM events");
    BackupRows rows{database,
                    "SELECT coalesce(endpoint.external_id, endpoint.name, 'no endpoint'), count(*)"
                    "  FROM events LEFT JOIN endpoints AS endpoint ON endpoint.id = endpoint_id"
                    " WHERE claimable_at <= ?1 GROUP BY 1 ORDER BY 2 DESC, 1"};
    rows.bind(1, static_cast<std::int64_t>(now.time_since_epoch().count()));
    while (rows.next()) work.due.push_back({rows.text(0), rows.number(1)});
    BackupRows oldest{database,
                      "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', min(due) / 1000000, 'unixepoch')"
                      "  FROM events WHERE claimable_at <= ?1 HAVING count(*) > 0"};
    oldest.bind(1, static_cast<std::int64_t>(now.time_since_epoch().count()));
    if (oldest.next()) work.oldest_due = oldest.text(0);
    return work;
}

}  // namespace

RestoredWork restore_database(const fs::path& backup, const fs::path& file,
                              const RestoreTerms& terms, const NewDigest& digest, Instant now) {
    const DatabaseContent content = check_database(backup, digest, true);
    if (!content.faults.empty()) {
        throw CannotStart{"the backup " + backup.string() + " cannot be restored: " +
                          content.faults.front() + ". Nothing has changed"};
    }
    const FileLock lock{file};
    if (!terms.replace) refuse_used(file);
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
