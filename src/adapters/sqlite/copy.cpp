#include "adapters/sqlite/copy.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "adapters/sqlite/backup.hpp"
#include "adapters/sqlite/backup_file.hpp"
#include "adapters/sqlite/connection.hpp"
#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/migrate.hpp"
#include "base/check.hpp"
#include "base/crash_point.hpp"

namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;

/// Not carried: they belong to the database file, or are counted again.
const std::set<std::string> tables_not_copied{"schema_migrations", "settings", "event_counts",
                                              "instance_reports"};

std::vector<std::string> stored_columns(sqlite3* database, const std::string& table) {
    BackupRows rows{database, "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0"};
    rows.bind(1, table);
    std::vector<std::string> columns;
    while (rows.next()) columns.push_back(rows.text(0));
    return columns;
}

std::vector<std::string> key_columns(sqlite3* database, const std::string& table) {
    BackupRows rows{database, "SELECT name FROM pragma_table_xinfo(?1) WHERE pk > 0 ORDER BY pk"};
    rows.bind(1, table);
    std::vector<std::string> columns;
    while (rows.next()) columns.push_back(rows.text(0));
    return columns;
}

/// The other database's tables and columns must be those of this one: otherwise rows would be lost.
void refuse_other_tables(sqlite3* database, const std::vector<CopyTable>& tables) {
    std::set<std::string> here;
    for (const std::string& name : tables_to_save(database)) {
        if (!tables_not_copied.contains(name)) here.insert(name);
    }
    for (const CopyTable& table : tables) {
        std::vector<std::string> columns = stored_columns(database, table.name);
        std::set<std::string> missing{columns.begin(), columns.end()};
        const std::size_t all = missing.size();
        for (const CopyColumn& column : table.columns) missing.erase(column.name);
        if (here.erase(table.name) == 0 || !missing.empty() || all != table.columns.size()) {
            throw CannotStart{"this version cannot copy the table " + table.name +
                              ": its columns differ between the databases. Nothing has changed"};
        }
    }
    if (!here.empty()) {
        throw CannotStart{"this version cannot copy the table " + *here.begin() +
                          ", which only SQLite has. Nothing has changed"};
    }
}

std::string columns_of_copy(const CopyTable& table) {
    std::string columns;
    for (const CopyColumn& column : table.columns) {
        columns += (columns.empty() ? "" : ", ") + quoted_name(column.name);
    }
    return columns;
}

CopyRow read_copied(sqlite3_stmt* statement, const CopyTable& table) {
    CopyRow row;
    row.reserve(table.columns.size());
    for (int column = 0; column < static_cast<int>(table.columns.size()); ++column) {
        if (sqlite3_column_type(statement, column) == SQLITE_NULL) {
            row.emplace_back();
            continue;
        }
        // Integers become text.
        const auto* bytes =
            table.columns[static_cast<std::size_t>(column)].kind == CopyColumn::Kind::bytes
                ? static_cast<const char*>(sqlite3_column_blob(statement, column))
                : reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
        row.emplace_back(bytes ? std::string{bytes, size} : std::string{});
    }
    return row;
}

/// Passes rows in the order of the key; their places are its values as SQL literals.
void read_in_order(sqlite3* database, const CopyTable& table, const std::string& after,
                   const TakeCopyRow& take) {
    std::string key, place;
    for (const std::string& column : key_columns(database, table.name)) {
        key += (key.empty() ? "" : ", ") + quoted_name(column);
        place += (place.empty() ? "quote(" : " || ',' || quote(") + quoted_name(column) + ")";
    }
    BackupRows rows{database, "SELECT " + columns_of_copy(table) + ", " + place + " FROM " +
                                  quoted_name(table.name) +
                                  (after.empty() ? "" : " WHERE (" + key + ") > (" + after + ")") +
                                  " ORDER BY " + key};
    const int last = static_cast<int>(table.columns.size());
    while (rows.next()) take(read_copied(rows.raw(), table), rows.text(last));
}

class FileSource final : public CopySource {
public:
    FileSource(const fs::path& file, const std::vector<CopyTable>& tables, Instant now)
        : lock_{file}, opened_{file.string(), SQLITE_OPEN_READWRITE}, now_{now} {
        {
            Connection migrations{file, Connection::Role::reader};
            if (!read_migrations(migrations).pending.empty()) {
                throw CannotStart{"the source " + file.string() +
                                  " has pending migrations. Run 'sundial db migrate' on it first. "
                                  "Nothing has changed"};
            }
        }
        opened_.run("BEGIN");
        if (number_of(database(), "SELECT value = 'test' FROM settings WHERE name = 'clock'") !=
            0) {
            throw CannotStart{"the source " + file.string() +
                              " has a test clock, and such a database cannot be copied"};
        }
        refuse_other_tables(database(), tables);
    }
    [[nodiscard]] std::string identity() override {
        BackupRows rows{database(),
                        "SELECT group_concat(checksum || applied_at) FROM (SELECT * FROM"
                        " schema_migrations ORDER BY version)"};
        base::check(rows.next());
        return "sqlite:" + rows.text(0);
    }
    [[nodiscard]] std::int64_t count(const CopyTable& table) override {
        return number_of(database(), "SELECT count(*) FROM " + quoted_name(table.name));
    }
    void read(const CopyTable& table, const std::string& after, const TakeCopyRow& take) override {
        read_in_order(database(), table, after, take);
    }
    [[nodiscard]] CopyNumbers last_numbers() override {
        CopyNumbers numbers;
        BackupRows rows{database(), "SELECT name, seq FROM sqlite_sequence"};
        while (rows.next()) numbers[rows.text(0)] = rows.number(1);
        return numbers;
    }
    [[nodiscard]] std::vector<CopyLoss> losses() override { return {}; }
    [[nodiscard]] RestoredWork work() override {
        RestoredWork work = work_left(database(), now_);
        work.claims_ended =
            number_of(database(), "SELECT count(*) FROM events WHERE claimed_by IS NOT NULL");
        return work;
    }

private:
    [[nodiscard]] sqlite3* database() const { return opened_.handle(); }

    FileLock lock_;
    BackupFile opened_;
    Instant now_;
};

class FileTarget final : public CopyTarget {
public:
    FileTarget(fs::path file, std::function<void()> make_partial, Instant now)
        : file_{std::move(file)},
          partial_{partial_copy_of(file_)},
          lock_{file_},
          make_partial_{std::move(make_partial)},
          now_{now} {
        refuse_used(file_, "Give a new file. Nothing has changed");
    }

    [[nodiscard]] std::optional<std::string> started() override {
        if (!opened_ && fs::exists(partial_)) open();
        if (!opened_ || !has_table(database(), "sundial_backup_copy")) return std::nullopt;
        BackupRows rows{database(), "SELECT source FROM sundial_backup_copy"};
        return rows.next() ? std::optional{rows.text(0)} : std::nullopt;
    }

    void start(const std::string& source, const std::vector<CopyTable>& tables) override {
        opened_.reset();
        discard();
        make_empty(partial_);
        make_partial_();
        open();
        refuse_other_tables(database(), tables);
        opened_->run(
            "BEGIN; CREATE TABLE sundial_backup_copy (source TEXT NOT NULL);"
            "CREATE TABLE sundial_backup_copied (name TEXT NOT NULL PRIMARY KEY,"
            " place TEXT NOT NULL, rows INTEGER NOT NULL, complete INTEGER NOT NULL)");
        // The first migration stores some.
        for (const CopyTable& table : tables) {
            opened_->run("DELETE FROM " + quoted_name(table.name));
        }
        BackupRows insert{database(), "INSERT INTO sundial_backup_copy VALUES (?1)"};
        insert.bind(1, source);
        insert.next();
        opened_->run("COMMIT");
    }

    [[nodiscard]] std::map<std::string, Progress> progress() override {
        BackupRows rows{database(),
                        "SELECT name, place, rows, complete FROM sundial_backup_copied"};
        std::map<std::string, Progress> progress;
        while (rows.next()) {
            progress[rows.text(0)] = {rows.text(1), rows.number(2), rows.number(3) != 0};
        }
        return progress;
    }

    void append(const CopyTable& table, const std::vector<CopyRow>& rows,
                const Progress& progress) override {
        opened_->run("BEGIN");
        std::string values;
        for (std::size_t at = 0; at < table.columns.size(); ++at) values += at == 0 ? "?" : ", ?";
        {
            BackupRows insert{database(), "INSERT INTO " + quoted_name(table.name) + " (" +
                                              columns_of_copy(table) + ") VALUES (" + values + ")"};
            for (const CopyRow& row : rows) {
                bind_row({insert.raw()}, table, row);
                insert.next();
                sqlite3_reset(insert.raw());
            }
        }
        CRASH_POINT("copy: before a batch is committed");
        BackupRows update{database(),
                          "INSERT OR REPLACE INTO sundial_backup_copied VALUES (?1, ?2, ?3, ?4)"};
        update.bind(1, table.name);
        update.bind(2, progress.place);
        update.bind(3, progress.rows);
        update.bind(4, std::int64_t{progress.complete});
        update.next();
        opened_->run("COMMIT");
        CRASH_POINT("copy: after a batch is committed");
    }

    void assemble(const std::vector<CopyTable>& /*tables*/, const CopyNumbers& last_numbers,
                  const std::function<void(const std::string&)>& /*show*/) override {
        opened_->run("BEGIN; DELETE FROM sqlite_sequence");
        BackupRows insert{database(), "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)"};
        for (const auto& [table, last] : last_numbers) {
            insert.bind(1, table);
            insert.bind(2, last);
            insert.next();
            sqlite3_reset(insert.raw());
        }
    }

    void read(const CopyTable& table, const TakeCopyRow& take) override {
        BackupRows rows{database(),
                        "SELECT " + columns_of_copy(table) + " FROM " + quoted_name(table.name)};
        while (rows.next()) take(read_copied(rows.raw(), table), {});
    }

    [[nodiscard]] RestoredWork finish() override {
        const std::int64_t claims_ended = end_claims(*opened_, now_);
        count_events();
        RestoredWork work = work_left(database(), now_);
        work.claims_ended = claims_ended;
        return work;
    }

    void publish() override {
        opened_->run("DROP TABLE sundial_backup_copied; DROP TABLE sundial_backup_copy; COMMIT");
        CRASH_POINT("copy: before the rename");
        // One file, without a log beside it.
        opened_->run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
        opened_.reset();
        finish_log(file_);
        rename_for_good(partial_, file_);
        discard();
    }

private:
    [[nodiscard]] sqlite3* database() const { return opened_->handle(); }

    void open() {
        opened_.emplace(partial_.string(), SQLITE_OPEN_READWRITE);
        opened_->run("PRAGMA synchronous = NORMAL");
        // They act on changes, and the rows that they would make are copied.
        base::check(sqlite3_db_config(database(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr) ==
                    SQLITE_OK);
    }

    /// The partial file and those beside it.
    void discard() {
        remove_quietly(partial_);
        std::error_code ignored;
        fs::remove(partial_.string() + "-lock", ignored);
    }

    static void bind_row(Parameters to, const CopyTable& table, const CopyRow& row) {
        for (std::size_t at = 0; at < row.size(); ++at) {
            const int parameter = static_cast<int>(at) + 1;
            if (!row[at]) {
                put_null(to, parameter);
                continue;
            }
            switch (table.columns[at].kind) {
                case CopyColumn::Kind::integer: {
                    std::int64_t number = 0;
                    const char* const end = row[at]->data() + row[at]->size();
                    base::check(std::from_chars(row[at]->data(), end, number).ptr == end);
                    put_integer(to, parameter, number);
                    break;
                }
                case CopyColumn::Kind::bytes:
                    put_blob(to, parameter, *row[at]);
                    break;
                case CopyColumn::Kind::text:
                case CopyColumn::Kind::json:
                    put_text(to, parameter, *row[at]);
                    break;
            }
        }
    }

    /// `event_counts` is kept by the program, not by triggers.
    void count_events() {
        opened_->run(R"sql(
            UPDATE event_counts SET rows = 0;
            UPDATE event_counts SET rows = found.rows
              FROM (SELECT standing, count(*) AS rows FROM (
                        SELECT CASE WHEN claimed_by IS NOT NULL THEN 'CLAIMED'
                                    ELSE iif(status = 'PENDING', 'PENDING', 'WAITING') ||
                                         iif(claimable_at = 9223372036854775807, '_PARKED', '')
                               END AS standing FROM events
                        UNION ALL SELECT status FROM event_history)
                     GROUP BY standing) AS found
             WHERE found.standing = event_counts.standing)sql");
    }

    const fs::path file_, partial_;
    FileLock lock_;
    const std::function<void()> make_partial_;
    Instant now_;
    std::optional<BackupFile> opened_{};
};

}  // namespace

std::unique_ptr<CopySource> open_copy_source(const fs::path& file,
                                             const std::vector<CopyTable>& tables, Instant now) {
    if (!fs::exists(file)) throw CannotStart{"there is no database " + file.string()};
    return std::make_unique<FileSource>(file, tables, now);
}

fs::path partial_copy_of(const fs::path& file) { return file.string() + "-copying"; }

std::unique_ptr<CopyTarget> open_copy_target(const fs::path& file,
                                             const std::function<void()>& make_partial,
                                             Instant now) {
    return std::make_unique<FileTarget>(file, make_partial, now);
}

}  // namespace sundial::sqlite
