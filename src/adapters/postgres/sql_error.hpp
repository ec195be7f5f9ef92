#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::postgres {

/// The server refused a statement.
class SqlError : public std::runtime_error {
public:
    SqlError(std::string sqlstate, std::string constraint_name, const std::string& message)
        : std::runtime_error{message},
          state{std::move(sqlstate)},
          constraint{std::move(constraint_name)} {}

    std::string state;       // five characters, errcodes.txt of its sources
    std::string constraint;  // empty if it was not about one
};

/// What we looked at has just changed: as if the server had found a conflict, so that all is done
/// again.
[[nodiscard]] inline SqlError conflict(const std::string& what) { return {"40001", "", what}; }

/// Another transaction was in the way, or took a name while we looked: the same again may go well.
[[nodiscard]] inline bool is_conflict(const SqlError& error) {
    return error.state == "40001" || error.state == "40P01" || error.state == "23505";
}
/// Of a standby (25006; 0A000 says BEGIN READ WRITE there) or of a primary that was replaced and
/// has come back (ours, sundial.timeline()): another server is the right one. 0A000 is also that a
/// migration has changed what a prepared statement returns; a new connection knows nothing of it.
[[nodiscard]] inline bool is_of_wrong_connection(const SqlError& error) {
    return error.state == "25006" || error.state == "0A000" || error.state == "SD001";
}
/// Full, busy, too slow, or the wrong server: later it may go well.
[[nodiscard]] inline bool is_passing(const SqlError& error) {
    return error.state.starts_with("53") || error.state == "57014" || error.state == "55P03" ||
           error.state == "25P03" || is_of_wrong_connection(error) || is_conflict(error);
}

/// The server gave a statement up, since it took longer than statement_timeout.
class StatementTimeout : public Unavailable {
public:
    using Unavailable::Unavailable;
};
[[nodiscard]] inline bool is_timeout(const SqlError& error) { return error.state == "57014"; }

/// The connection is of no use any more: closed, reset, or without an answer in time.
class ConnectionLost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace sundial::postgres
