#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::postgres {

/// The server rejected a statement.
class SqlError : public std::runtime_error {
public:
    SqlError(std::string sqlstate, std::string constraint_name, const std::string& message)
        : std::runtime_error{message},
          state{std::move(sqlstate)},
          constraint{std::move(constraint_name)} {}

    std::string state;       // SQLSTATE, five characters: errcodes.txt of the PostgreSQL sources
    std::string constraint;  // empty if no constraint was violated
};

/// Data that the transaction has read was changed by another one. Handled like a conflict that the
/// server reports: the work runs again.
[[nodiscard]] inline SqlError conflict(const std::string& what) { return {"40001", "", what}; }

/// Another transaction interfered, or took a name after we checked it. A repetition may succeed.
[[nodiscard]] inline bool is_conflict(const SqlError& error) {
    return error.state == "40001" || error.state == "40P01" || error.state == "23505";
}
/// The connection leads to the wrong server: a standby (25006; for BEGIN READ WRITE it reports
/// 0A000), or a former primary that has come back (SD001, ours, from sundial.timeline()). 0A000
/// also means that a migration has changed the result of a prepared statement; a new connection
/// cures that.
[[nodiscard]] inline bool is_of_wrong_connection(const SqlError& error) {
    return error.state == "25006" || error.state == "0A000" || error.state == "SD001";
}
/// A machine of a distributed database failed or cannot be reached: a code of connections, as an
/// error of a statement, or the code of errors that have none. A COMMIT may have had its effect.
[[nodiscard]] inline bool is_of_machine(const SqlError& error, bool distributed) {
    return error.state.starts_with("08") || error.state.starts_with("57P0") ||
           (distributed && error.state == "XX000");
}
/// Temporary: full, busy, too slow, or the wrong server. A later repetition may succeed.
[[nodiscard]] inline bool is_passing(const SqlError& error) {
    return error.state.starts_with("53") || error.state == "57014" || error.state == "55P03" ||
           error.state == "25P03" || is_of_wrong_connection(error) || is_conflict(error);
}

/// The server aborted a statement that exceeded statement_timeout.
class StatementTimeout : public Unavailable {
public:
    using Unavailable::Unavailable;
};
[[nodiscard]] inline bool is_timeout(const SqlError& error) { return error.state == "57014"; }
[[nodiscard]] inline bool is_lock_timeout(const SqlError& error) { return error.state == "55P03"; }

/// The connection was closed or reset, or the server did not answer in time.
class ConnectionLost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// How long transactions have been failing. Ends with the first successful write (a read may
/// succeed on a full disk), or after 15 s without a failure. Thread-safe.
class Outage {
public:
    void failed() {
        const std::lock_guard lock{mutex_};
        const Moment now = Clock::now();
        if (!since_ || now - latest_ > forgotten_after) since_ = now;
        latest_ = now;
    }
    void succeeded() {
        const std::lock_guard lock{mutex_};
        since_.reset();
    }
    /// From the first failure to the latest.
    [[nodiscard]] std::optional<std::chrono::milliseconds> so_far() const {
        const std::lock_guard lock{mutex_};
        if (!since_ || Clock::now() - latest_ > forgotten_after) return std::nullopt;
        return std::chrono::duration_cast<std::chrono::milliseconds>(latest_ - *since_);
    }

private:
    using Clock = std::chrono::steady_clock;
    using Moment = Clock::time_point;
    static constexpr std::chrono::seconds forgotten_after{15};

    mutable std::mutex mutex_;
    std::optional<Moment> since_;
    Moment latest_{};
};

}  // namespace sundial::postgres
