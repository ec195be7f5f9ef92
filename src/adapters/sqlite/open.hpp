#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/outbox.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/retention.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"
#include "sundial/sql.hpp"

namespace sundial::sqlite {

struct Settings {
    std::filesystem::path file;
    /// CLOCK_REALTIME of the one process that uses the file. The database's clock is derived from
    /// it.
    std::function<Instant()> real_time;
    TimeOfDay birthday_time{9 * 3600};    // of the row `birthday`; read by the first migration only
    bool test_clock = false;              // time stands still until it is set
    std::optional<Instant> test_start{};  // of a new test clock; empty: now, in whole seconds
    bool auto_migrate = true;
    // commits wait for the disk; otherwise only for the operating system
    bool survives_power_cut = true;
    std::size_t readers = 4;  // read-only connections
};

/// One schema migration.
struct Migration {
    int version;
    std::string name;      // "first"
    std::string checksum;  // of its script
};
struct MigrationStatus {
    std::vector<Migration> applied;
    std::vector<Migration> pending;
};

/// Called once, on any thread, with the reason why the file must not be used any more: a read,
/// write or fsync has failed, or the file is damaged. The process must exit with a failure status;
/// until then every call throws Unavailable.
using OnFatal = std::function<void(const std::string& why)>;

/// An SQLite file that implements the application's ports, for this process alone.
class SqliteDatabase {
public:
    /// Locks the file, migrates it if configured, and ends all leases in it but those of pull
    /// workers, because their holder is gone. Checks a file that was not closed properly in the
    /// background. Throws CannotStart if another process uses the file, or if it is not a database,
    /// newer than this program, not migrated, or on another clock; then nothing has changed.
    [[nodiscard]] static std::unique_ptr<SqliteDatabase> open(const Settings& settings,
                                                              base::Log& log, OnFatal on_fatal);
    virtual ~SqliteDatabase() = default;

    virtual Store& store() = 0;
    virtual EventQueue& queue() = 0;
    virtual PullQueue& pull_queue() = 0;
    virtual Feed& feed() = 0;
    virtual FeedMeter& feed_meter() = 0;
    virtual Clock& clock() = 0;
    virtual Retention& retention() = 0;
    /// Runs one statement of the program in `tx`, a transaction of `store`. Throws
    /// StatementRefused.
    [[nodiscard]] virtual SqlRows run_sql(Transaction& tx, const std::string& statement,
                                          std::span<const SqlValue> values) = 0;
    /// Whether the latest write failed because the disk is full. Resets itself once there is space.
    [[nodiscard]] virtual bool disk_is_full() const = 0;
};

/// The applied and the pending migrations. Changes nothing, so it may run beside a process that
/// uses the file. If the file does not exist, all migrations are pending.
[[nodiscard]] MigrationStatus migration_status(const Settings& settings);
/// Applies the pending migrations and returns them. Throws CannotStart, also while a process uses
/// the file.
std::vector<Migration> migrate(const Settings& settings, base::Log& log);

/// The table `sundial_outbox` in a SQLite file of another program. It opens the file for each call,
/// so the file may be absent, come later or be replaced. It never writes, creates or checkpoints,
/// whatever the rights of this process are. `real_time` is CLOCK_REALTIME.
[[nodiscard]] std::unique_ptr<Outbox> open_outbox(const std::filesystem::path& file,
                                                  std::function<Instant()> real_time);

struct LibraryVersion {
    std::string version;  // "3.40.1"
    std::string note;     // for people; empty if there is no remark
};
[[nodiscard]] LibraryVersion library_version();

/// Lets SQLite allocate memory without counting it, for the whole process. The count needs a mutex
/// that all connections share, for every allocation, and nothing here reads it. Call before the
/// first use of SQLite; later calls have no effect.
void count_no_memory();

}  // namespace sundial::sqlite
