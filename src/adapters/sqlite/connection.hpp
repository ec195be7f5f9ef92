#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/sqlite/value.hpp"

struct sqlite3;
namespace SQLite {
class Database;
}

namespace sundial::sqlite {

/// Of new databases; older ones keep their 4096 bytes. A commit writes each changed page as a
/// whole, and an event changes a few hundred bytes on each of some twenty pages: with 4096 bytes an
/// event took 78 KB of log, with 1024 bytes 23 KB.
inline constexpr int page_size = 1024;

class CallerRules;
class Connection;
class Health;

/// A statement prepared by a connection.
struct Prepared {
    const Connection& connection;
    sqlite3_stmt* statement = nullptr;
    bool in_use = false;

    Prepared(const Connection& of, const Statement& text);
    ~Prepared();
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
};

/// One execution of a statement, row by row. Its end makes the statement available again.
class Cursor {
public:
    enum class Values : bool { copied, outlive_it };
    template <class... Parameter>
    Cursor(Prepared& prepared, Values lifetime, const Parameter&... values) : use_{prepared} {
        [[maybe_unused]] const Parameters to{prepared.statement, lifetime == Values::outlive_it};
        int parameter = 0;
        (Value<Parameter>::put(to, ++parameter, values), ...);
    }

    /// Goes to the next row; false if there is none. Throws Unavailable.
    bool next();
    /// The value of a column of this row, counted from 0; T is an optional if the column may be
    /// null.
    template <class T>
    [[nodiscard]] T get(int column) const {
        return Value<T>::get(use_.prepared.statement, column);
    }
    /// The value of the next column.
    template <class T>
    [[nodiscard]] T take() {
        return get<T>(column_++);
    }
    void skip() { ++column_; }

private:
    struct Use {
        explicit Use(Prepared& its);
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        Prepared& prepared;
    };

    Use use_;
    int column_ = 0;
};

/// One connection, for one thread at a time. Throws Unavailable on failure, and informs Health if
/// the file is the cause. Throws std::logic_error if only a bug can be the cause.
class Connection {
public:
    enum class Role : std::uint8_t {
        writer,  // creates the file if it does not exist; the only role that writes and checkpoints
        reader   // never writes, never checkpoints
    };
    Connection(const std::filesystem::path& file, Role role);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// From now on, reports failures that the file causes to `health`.
    void report_to(Health& health) { health_ = &health; }

    template <class... Values>
    [[nodiscard]] Cursor query(const Statement& statement, const Values&... values) {
        return Cursor{prepared(statement), Cursor::Values::copied, values...};
    }
    /// Runs a statement without reading its rows. Returns the number of rows inserted, changed or
    /// deleted.
    template <class... Values>
    std::int64_t execute(const Statement& statement, const Values&... values) {
        {
            Cursor cursor{prepared(statement), Cursor::Values::outlive_it, values...};
            while (cursor.next()) {
            }
        }
        return changes();
    }
    /// Runs any number of statements without parameters.
    void run(const std::string& script);

    /// The integer key of the row inserted last.
    [[nodiscard]] std::int64_t last_row() const;
    /// Number of rows changed since the connection was opened.
    [[nodiscard]] std::int64_t total_changes() const;
    /// Whether a transaction is open. A failure may have ended it.
    [[nodiscard]] bool in_transaction() const;
    /// Rolls back the open transaction, if any. Does not report errors; the caller already has one.
    void roll_back() noexcept;

    struct Wal {
        int pages;         // in the log
        int checkpointed;  // of them, already copied to the database
    };
    /// Copies the log to the database. Does not wait for readers and copies what it can, or waits
    /// until no reader needs the log, which then restarts.
    Wal checkpoint(bool wait_for_readers);
    /// Aborts this connection's current call, from another thread.
    void interrupt();

    [[nodiscard]] sqlite3* handle() const;
    /// For statements of the program (caller_sql.hpp). The first call makes SQLite prepare the
    /// adapter's statements again.
    [[nodiscard]] CallerRules& caller_rules();
    /// Throws the error for SQLite's result code `code`.
    [[noreturn]] void fail(int code) const;

private:
    [[nodiscard]] Prepared& prepared(const Statement& statement);
    [[nodiscard]] std::int64_t changes() const;

    Health* health_ = nullptr;
    std::unique_ptr<CallerRules> caller_rules_;  // asked by `database_`
    std::unique_ptr<SQLite::Database> database_;
    std::unordered_map<const Statement*, std::unique_ptr<Prepared>> statements_;
};

}  // namespace sundial::sqlite
