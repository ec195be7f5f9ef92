#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/feed_meter.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/retention.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"

namespace sundial::sqlite {

struct Settings {
    std::filesystem::path file;
    /// CLOCK_REALTIME, of the one process that uses the file: the database's clock comes from it.
    std::function<Instant()> real_time;
    TimeOfDay birthday_time{9 * 3600};    // of the row `birthday`; read by the first migration only
    bool test_clock = false;              // time stands still until it is moved
    std::optional<Instant> test_start{};  // of a new test clock; empty: now, cut to the second
    bool auto_migrate = true;
    bool survives_power_cut = true;  // commits wait for the disk; else only for the system
    std::size_t readers = 4;         // connections that only read
};

/// One migration of the schema.
struct Migration {
    int version;
    std::string name;      // "first"
    std::string checksum;  // of its text
};
struct MigrationStatus {
    std::vector<Migration> applied;
    std::vector<Migration> pending;
};

/// Told once, on any thread, why the file must not be used any more: a read, write or fsync has
/// failed, or the file is damaged. The process is to end, unsuccessfully; until then every call
/// throws Unavailable.
using OnFatal = std::function<void(const std::string& why)>;

/// An SQLite file as the application's ports, for this process alone.
class SqliteDatabase {
public:
    /// Takes the file, migrates it if asked to, and ends every lease in it but those of pull
    /// workers: its holder is gone. A file that was not closed properly is checked meanwhile, in
    /// the background. Throws CannotStart where the file is another process's, no database, newer
    /// than this program, not migrated, or on another clock; then nothing has changed.
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
    /// The latest write found no room on the disk. Ends by itself once there is some.
    [[nodiscard]] virtual bool disk_is_full() const = 0;
};

/// What is applied and what is not. Changes nothing, also beside a process that uses the file; a
/// file that is not there has everything pending.
[[nodiscard]] MigrationStatus migration_status(const Settings& settings);
/// Applies what is pending and returns it. Throws CannotStart, also while a process uses the file.
std::vector<Migration> migrate(const Settings& settings, base::Log& log);

struct LibraryVersion {
    std::string version;  // "3.40.1"
    std::string note;     // for people; empty if there is nothing to say
};
[[nodiscard]] LibraryVersion library_version();

}  // namespace sundial::sqlite
