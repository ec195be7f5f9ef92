#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "application/ports/backup.hpp"
#include "application/ports/failures.hpp"
#include "domain/time/types.hpp"

/// Files for backups, restores and copies. They read tables that later migrations may add, so they
/// work with names of tables at run time, on plain sqlite3 statements.
namespace sundial::sqlite {

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

[[nodiscard]] std::string quoted_name(const std::string& name);
/// All tables but those of SQLite and those that describe a backup or a copy.
[[nodiscard]] std::vector<std::string> tables_to_save(sqlite3* database);
[[nodiscard]] std::int64_t number_of(sqlite3* database, const std::string& sql);
[[nodiscard]] bool has_table(sqlite3* database, const char* name);

/// For SQLITE_OPEN_URI. Without a log beside it nothing writes to the file, and SQLite needs to
/// create nothing.
[[nodiscard]] std::string name_to_read(const std::filesystem::path& file);
/// After this the file has its new name even if the power fails.
void rename_for_good(const std::filesystem::path& from, const std::filesystem::path& to);
/// An empty file of mode 0600, in place of one that an interrupted command has left.
void make_empty(const std::filesystem::path& file);
void remove_quietly(const std::filesystem::path& file) noexcept;
/// The log of the old file must not survive it: SQLite would apply it to the new one. A damaged or
/// missing file cannot take its log in, so the log is deleted. It stays deleted if the power fails.
void finish_log(const std::filesystem::path& file);

/// Throws CannotStart, with `instead` as the advice, if the file has data.
void refuse_used(const std::filesystem::path& file, const std::string& instead);
/// Ends all claims: an event that was being sent may have arrived, and will be sent again. The new
/// version fences their holders. Returns their number.
std::int64_t end_claims(const BackupFile& restored, Instant now);
/// The events that are not finished, and those that are due.
[[nodiscard]] RestoredWork work_left(sqlite3* database, Instant now);

}  // namespace sundial::sqlite
