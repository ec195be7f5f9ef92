#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/sqlite/statement.hpp"
#include "adapters/sqlite/value.hpp"

struct sqlite3;
namespace SQLite {
class Database;
}

namespace sundial::sqlite {

class Connection;
class Health;

/// A statement as a connection keeps it.
struct Prepared {
    const Connection& connection;
    sqlite3_stmt* statement = nullptr;
    bool in_use = false;

    Prepared(const Connection& of, const Statement& text);
    ~Prepared();
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
};

/// One execution of a statement, row by row. The statement is free again when this is gone.
class Cursor {
public:
    template <class... Values>
    explicit Cursor(Prepared& prepared, const Values&... values) : use_{prepared} {
        int parameter = 0;
        (Value<Values>::put(prepared.statement, ++parameter, values), ...);
    }

    /// Goes to the next row, if there is one. Throws Unavailable.
    bool next();
    /// The value of a column of this row, from 0; an optional T where it may be null.
    template <class T>
    [[nodiscard]] T get(int column) const {
        return Value<T>::get(use_.prepared.statement, column);
    }
    /// The value of the column after the one taken before.
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

/// One connection, for one thread at a time. What fails throws Unavailable, and tells the health if
/// the file is to blame; what can only be a mistake of ours throws std::logic_error.
class Connection {
public:
    enum class Role : std::uint8_t {
        writer,  // makes the file if there is none; the only one that writes and checkpoints
        reader   // never writes, never checkpoints
    };
    Connection(const std::filesystem::path& file, Role role);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Who is told, from now on, if the file is to blame for a failure.
    void tell(Health& health) { health_ = &health; }

    template <class... Values>
    [[nodiscard]] Cursor query(const Statement& statement, const Values&... values) {
        return Cursor{prepared(statement), values...};
    }
    /// Runs a statement whose rows nobody reads; returns how many it inserted, changed or deleted.
    template <class... Values>
    std::int64_t execute(const Statement& statement, const Values&... values) {
        {
            Cursor cursor{prepared(statement), values...};
            while (cursor.next()) {
            }
        }
        return changes();
    }
    /// Any number of statements without parameters.
    void run(const std::string& script);

    /// How many rows were changed since the connection was opened.
    [[nodiscard]] std::int64_t total_changes() const;
    /// Whether a transaction is open: a failure may have ended it.
    [[nodiscard]] bool in_transaction() const;
    /// Ends the transaction that is open, if one is. What led here is told by others.
    void roll_back() noexcept;

    struct Wal {
        int pages;         // in the log
        int checkpointed;  // of them, already in the database
    };
    /// Moves what it can to the database; waits for nobody, or else until no reader needs the log,
    /// which then starts anew.
    Wal checkpoint(bool wait_for_readers);
    /// Lets another thread end what this connection is doing.
    void interrupt();

    [[nodiscard]] sqlite3* handle() const;
    /// What the result code `code` of SQLite means.
    [[noreturn]] void fail(int code) const;

private:
    [[nodiscard]] Prepared& prepared(const Statement& statement);
    [[nodiscard]] std::int64_t changes() const;

    Health* health_ = nullptr;
    std::unique_ptr<SQLite::Database> database_;
    std::unordered_map<const Statement*, std::unique_ptr<Prepared>> statements_;
};

}  // namespace sundial::sqlite
