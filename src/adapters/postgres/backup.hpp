#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/backup.hpp"

/// Reading for a backup of a PostgreSQL database, and writing for a restore (ADR 0048). Both use a
/// connection of their own, without the time limits of the scheduler's connections.
namespace sundial::postgres {

class PlainConnection;

struct SavedTable {
    std::string name;
    std::vector<std::string> columns;
    std::int64_t expected_rows = 0;  // the server's estimate
};
struct SavedSequence {
    std::string name;
    std::int64_t last = 0;
    bool called = false;
};

/// The schema as of one instant: a transaction that only reads. While it is open, vacuum removes no
/// row that was deleted since.
class BackupSnapshot {
public:
    /// Throws Unavailable, and CannotStart if the database is not one of sundial or is on a test
    /// clock.
    [[nodiscard]] static std::unique_ptr<BackupSnapshot> open(const std::string& url);
    virtual ~BackupSnapshot() = default;
    [[nodiscard]] virtual int schema_version() const = 0;
    [[nodiscard]] virtual std::string taken_at() const = 0;        // UTC
    [[nodiscard]] virtual std::string server_version() const = 0;  // "15.20"
    [[nodiscard]] virtual std::string tz_release() const = 0;  // of the latest events; may be empty
    [[nodiscard]] virtual std::vector<SavedTable> tables() = 0;
    [[nodiscard]] virtual std::vector<SavedSequence> sequences() = 0;
    /// Passes the rows of a table to `sink`, in COPY's text format. Returns their number.
    virtual std::int64_t copy(const SavedTable& table,
                              const std::function<void(std::string_view)>& sink) = 0;
    /// Number of transactions that started since; vacuum keeps the rows that they delete.
    [[nodiscard]] virtual std::int64_t transactions_since() = 0;
};

/// Reads a live database in such a snapshot. Changes nothing.
[[nodiscard]] DatabaseContent check_database(const std::string& url);

/// The latest migration of a migrated database.
[[nodiscard]] int applied_schema_version(const std::string& url);

/// One transaction that replaces the content of a migrated database.
class RestoreTransaction {
public:
    /// Locks all tables and empties them. Throws CannotStart if the database has data and not
    /// `replace`, or if an instance uses it.
    [[nodiscard]] static std::unique_ptr<RestoreTransaction> begin(const std::string& url,
                                                                   bool replace);
    virtual ~RestoreTransaction() = default;
    /// `next` returns the next part of the rows, and an empty one at the end. Throws CannotStart if
    /// the server refuses the rows.
    virtual std::int64_t fill(const SavedTable& table,
                              const std::function<std::string_view()>& next) = 0;
    virtual void set(const SavedSequence& sequence) = 0;
    /// Ends all claims and reports the work left. Changes are kept only after `commit`.
    [[nodiscard]] virtual RestoredWork finish() = 0;
    virtual void commit() = 0;
    /// For other statements in the transaction.
    [[nodiscard]] virtual PlainConnection& connection() = 0;
};

/// State of the server for `sundial doctor`.
struct ServerState {
    std::chrono::microseconds clock{};  // its clock_timestamp(), since 1970
    std::chrono::microseconds round_trip{};
    std::int64_t oldest_transaction = 0;  // seconds, of other sessions in this database
    std::int64_t oldest_snapshot = 0;     // age in transactions
    std::int64_t hidden_sessions = 0;     // of other roles, whose transactions the role cannot see
    std::int64_t connections = 0, most_connections = 0;
    bool in_recovery = false;
    std::vector<std::string> unsafe_settings{};
    /// Of each instance that has reported within 20 s and is not about to end; empty if the schema
    /// is older than the reports.
    std::optional<std::vector<std::vector<std::string>>> instance_roles{};
};
[[nodiscard]] ServerState server_state(const std::string& url);

}  // namespace sundial::postgres
