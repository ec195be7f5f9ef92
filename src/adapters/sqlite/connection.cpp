#include "adapters/sqlite/connection.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <stdexcept>

#include "adapters/sqlite/caller_rules.hpp"
#include "adapters/sqlite/database_file.hpp"
#include "base/check.hpp"

// Uses sqlite3's own statements instead of SQLiteCpp's, whose columns share ownership of their
// statement: two atomic counter updates for each of the 30 values of an event.
namespace sundial::sqlite {
namespace {

constexpr int foreign_lock_timeout = 5'000;  // ms: a shell may hold a lock on the file

int flags_of(Connection::Role role) {
    return SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX |
           (role == Connection::Role::writer ? SQLite::OPEN_CREATE : 0);
}

std::unique_ptr<SQLite::Database> open(const std::filesystem::path& file, Connection::Role role) {
    try {
        return std::make_unique<SQLite::Database>(file.string(), flags_of(role),
                                                  foreign_lock_timeout);
    } catch (const SQLite::Exception& error) {
        throw Unavailable{error.what()};
    }
}

}  // namespace

void put_null(Parameters to, int parameter) {
    base::check(sqlite3_bind_null(to.statement, parameter) == SQLITE_OK);
}
void put_integer(Parameters to, int parameter, std::int64_t value) {
    base::check(sqlite3_bind_int64(to.statement, parameter, value) == SQLITE_OK);
}
void put_text(Parameters to, int parameter, std::string_view value) {
    // An empty view may have a null address, which would bind null.
    const char* text = value.data() ? value.data() : "";
    const int code =
        sqlite3_bind_text64(to.statement, parameter, text, value.size(),
                            to.outlived ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8);
    if (code != SQLITE_OK) throw Unavailable{sqlite3_errstr(code)};
}
void put_blob(Parameters to, int parameter, std::string_view value) {
    const void* bytes = value.data() ? value.data() : "";
    const int code = sqlite3_bind_blob64(to.statement, parameter, bytes, value.size(),
                                         to.outlived ? SQLITE_STATIC : SQLITE_TRANSIENT);
    if (code != SQLITE_OK) throw Unavailable{sqlite3_errstr(code)};
}

bool is_null(sqlite3_stmt* statement, int column) {
    return sqlite3_column_type(statement, column) == SQLITE_NULL;
}
std::int64_t get_integer(sqlite3_stmt* statement, int column) {
    if (sqlite3_column_type(statement, column) != SQLITE_INTEGER) {
        throw Corrupt{"the database has a value that is not an integer in a column of integers"};
    }
    return sqlite3_column_int64(statement, column);
}
std::string_view get_text(sqlite3_stmt* statement, int column) {
    if (sqlite3_column_type(statement, column) != SQLITE_TEXT) {
        throw Corrupt{"the database has a value that is not text in a column of text"};
    }
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}
std::string_view get_blob(sqlite3_stmt* statement, int column) {
    if (sqlite3_column_type(statement, column) != SQLITE_BLOB) {
        throw Corrupt{"the database has a value that is not a blob in a column of blobs"};
    }
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

Prepared::Prepared(const Connection& of, const Statement& text) : connection{of} {
    const int code = sqlite3_prepare_v3(of.handle(), text.sql, -1, SQLITE_PREPARE_PERSISTENT,
                                        &statement, nullptr);
    if (code != SQLITE_OK) of.fail(code);
}
Prepared::~Prepared() { sqlite3_finalize(statement); }

Cursor::Use::Use(Prepared& its) : prepared{its} {
    base::check(!prepared.in_use);
    prepared.in_use = true;
}
Cursor::Use::~Use() {
    sqlite3_reset(prepared.statement);           // next() has already reported the error
    sqlite3_clear_bindings(prepared.statement);  // the values may end now
    prepared.in_use = false;
}
bool Cursor::next() {
    column_ = 0;
    const Prepared& prepared = use_.prepared;
    const int code = sqlite3_step(prepared.statement);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    prepared.connection.fail(code);
}

Connection::Connection(const std::filesystem::path& file, Role role) : database_{open(file, role)} {
    sqlite3_extended_result_codes(handle(), 1);
    run("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;");
    if (role == Role::writer) {
        // No automatic checkpoints at commit: the writer decides when.
        run("PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;"
            "PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = FAST;");
    } else {
        run("PRAGMA query_only = ON; PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 0;");
        sqlite3_db_config(handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
}

Connection::~Connection() = default;

void Connection::run(const std::string& script) {
    const int code = sqlite3_exec(handle(), script.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code);
}

std::int64_t Connection::last_row() const { return sqlite3_last_insert_rowid(handle()); }
std::int64_t Connection::total_changes() const { return sqlite3_total_changes64(handle()); }
std::int64_t Connection::changes() const { return sqlite3_changes64(handle()); }
bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

void Connection::roll_back() noexcept {
    if (in_transaction()) sqlite3_exec(handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Connection::Wal Connection::checkpoint(bool wait_for_readers) {
    Wal wal{};
    const int mode = wait_for_readers ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
    const int code =
        sqlite3_wal_checkpoint_v2(handle(), nullptr, mode, &wal.pages, &wal.checkpointed);
    if (code != SQLITE_OK && code != SQLITE_BUSY) fail(code);
    return wal;
}

void Connection::interrupt() { sqlite3_interrupt(handle()); }

sqlite3* Connection::handle() const { return database_->getHandle(); }

void Connection::fail(int code) const {
    const std::string why = std::string{sqlite3_errstr(code)} + ": " + sqlite3_errmsg(handle()) +
                            " (SQLite's code " + std::to_string(code) + ")";
    switch (code & 0xff) {
        case SQLITE_IOERR:
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            if (health_) health_->broken(why);
            throw Unavailable{why};
        case SQLITE_CONSTRAINT:
        case SQLITE_ERROR:
        case SQLITE_MISMATCH:
        case SQLITE_MISUSE:
        case SQLITE_RANGE:
            throw std::logic_error{why};
        case SQLITE_FULL:
            if (health_) health_->full(true);
            throw Unavailable{why};
        default:  // out of memory, another process holds a lock, interrupted
            throw Unavailable{why};
    }
}

CallerRules& Connection::caller_rules() {
    if (!caller_rules_) {
        caller_rules_ = std::make_unique<CallerRules>();
        sqlite3_set_authorizer(handle(), CallerRules::ask, caller_rules_.get());
    }
    return *caller_rules_;
}

Prepared& Connection::prepared(const Statement& statement) {
    auto& found = statements_[&statement];
    if (!found) found = std::make_unique<Prepared>(*this, statement);
    return *found;
}

}  // namespace sundial::sqlite
