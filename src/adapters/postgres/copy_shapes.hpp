#pragma once

#include <string>
#include <vector>

#include "adapters/postgres/plain_connection.hpp"
#include "application/ports/copy.hpp"

namespace sundial::postgres {

/// How a table is read in the form of SQLite's table of the same name, and written from it.
struct CopyShape {
    CopyTable table;
    std::vector<std::string> reads{};  // an expression over the table, for each of its columns
    std::vector<std::string> key{};    // the columns of the primary key, in its order
    struct Write {
        std::string column;  // of PostgreSQL
        std::string from;    // an expression over the columns of `table`
    };
    std::vector<Write> writes{};
};

/// The shapes of all tables that a copy carries, made from the catalog. Throws CannotStart for a
/// column that this program cannot convert.
[[nodiscard]] std::vector<CopyShape> copy_shapes(PlainConnection& connection);

}  // namespace sundial::postgres
