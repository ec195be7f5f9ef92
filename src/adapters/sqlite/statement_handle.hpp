#pragma once

#include <sqlite3.h>

#include <memory>

namespace sundial::sqlite {

struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

/// A prepared statement of SQLite's C interface, for SQL and files that are not ours: our own
/// statements are SQLiteCpp's.
using StatementHandle = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

}  // namespace sundial::sqlite
