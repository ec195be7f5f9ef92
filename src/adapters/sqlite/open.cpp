#include "adapters/sqlite/open.hpp"

#include <sqlite3.h>

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

#include "adapters/sqlite/caller_sql.hpp"
#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/endpoint_sql.hpp"
#include "adapters/sqlite/migrate.hpp"
#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/time.hpp"
#include "adapters/sqlite/transaction_sql.hpp"
#include "adapters/sqlite/writer.hpp"
#include "application/transactions/transaction_of.hpp"
#include "base/check.hpp"

namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;

/// One path per file, whichever link leads to it, because the lock file is beside it.
fs::path path_of(const Settings& settings) {
    std::error_code error;
    auto path = fs::weakly_canonical(fs::absolute(settings.file), error);
    return error ? fs::absolute(settings.file) : path;
}

/// Called before any file is created or changed.
void refuse_foreign_file(const fs::path& file) {
    std::error_code error;
    if (fs::is_directory(file, error)) {
        throw CannotStart{file.string() + " is a folder; storage.url must name a file"};
    }
    if (!fs::exists(file, error) || fs::file_size(file, error) == 0) return;
    std::ifstream in{file, std::ios::binary};
    constexpr std::string_view magic{"SQLite format 3\0", 16};
    std::array<char, magic.size()> head{};  // if the file is shorter, the rest is zero
    in.read(head.data(), head.size());
    if (!in && !in.eof()) {
        throw CannotStart{"cannot read " + file.string() +
                          ": it must be readable and writable for this user"};
    }
    if (std::string_view{head.data(), head.size()} != magic) {
        throw CannotStart{file.string() +
                          " is not an SQLite database. Give another file (storage.url)"};
    }
}

template <class T>
T setting(Connection& connection, std::string_view name) {
    const auto value =
        first_of(connection.query(sql::setting, name), [](Cursor& row) { return row.get<T>(0); });
    if (!value) throw Corrupt{"the database lacks the setting '" + std::string{name} + "'"};
    return *value;
}

void use_log(Connection& connection, const fs::path& file) {
    static const std::string size_of_new_file = "PRAGMA page_size = " + std::to_string(page_size);
    static constexpr Statement use_wal{"PRAGMA journal_mode = WAL"};
    static constexpr Statement keep_small{"PRAGMA journal_size_limit = 67108864"};
    connection.run(size_of_new_file);
    const auto mode =
        first_of(connection.query(use_wal), [](Cursor& row) { return row.get<std::string>(0); });
    if (mode != "wal") {
        throw CannotStart{"SQLite cannot keep a write-ahead log beside " + file.string() +
                          ". SQLite databases must lie on a local file system"};
    }
    connection.execute(keep_small);
}

/// Commits survive a crash of the process, but not a power failure.
void trust_the_power_supply(Connection& connection, base::Log& log) {
    connection.run("PRAGMA synchronous = NORMAL");
    log.write({.level = base::LogLevel::warn,
               .event_name = {},
               .message = "storage.synchronous=normal: a power failure may lose the last seconds "
                          "of acknowledged changes",
               .correlation_id = {},
               .fields = {}});
}

bool is_used(Connection& connection) {
    auto row = connection.query(sql::is_used);
    return row.next() && row.get<bool>(0);
}

/// A test clock can be set only for a database without events, and never removed.
void refuse_another_clock(Connection& connection, const Settings& settings) {
    const bool on_test_clock = setting<std::string>(connection, "clock") == "test";
    if (on_test_clock && !settings.test_clock) {
        throw CannotStart{
            "the database was used with a test clock, so its times are not real. "
            "Start with --test-clock, or give another file (storage.url)"};
    }
    if (settings.test_clock && !on_test_clock && is_used(connection)) {
        throw CannotStart{
            "the database follows the real clock, which a test clock would corrupt. Start without "
            "--test-clock, or give another file (storage.url)"};
    }
}

void put_on_test_clock(Connection& connection, Instant now) {
    if (setting<std::string>(connection, "clock") == "test") return;
    connection.execute(sql::set_setting, std::string_view{"clock"}, std::string_view{"test"});
    connection.execute(sql::set_setting, std::string_view{"time"}, now);
}

void end_leases(Connection& connection, Instant now) {
    const auto last = setting<Instant>(connection, "leases_end");
    for (int priority = 0; priority <= 3; ++priority) {
        connection.execute(sql::end_leases, now, priority, last);
        connection.execute(sql::end_leases_of_handlers, now, priority, last);
    }
    connection.execute(sql::end_leases_of_operations, now);
    connection.execute(sql::end_probes, now);
    connection.execute(sql::remove_all_slots);
}

/// Converts startup errors to CannotStart.
template <class Work>
auto at_start(const fs::path& file, Work work) {
    const auto refuse = [&](const std::exception& error) {
        return CannotStart{"cannot use " + file.string() + ": " + error.what() +
                           ". It must be a sound SQLite database that this user may read and "
                           "write, on a disk with room"};
    };
    try {
        return work();
    } catch (const Unavailable& error) {
        throw refuse(error);
    } catch (const Corrupt& error) {
        throw refuse(error);
    }
}

/// Initial values of a new database.
FirstValues first_values(const Settings& settings) {
    const Instant now = settings.real_time();
    if (!settings.test_clock) return {false, now, settings.birthday_time};
    return {true, settings.test_start.value_or(std::chrono::floor<std::chrono::seconds>(now)),
            settings.birthday_time};
}

/// Applies the pending migrations. Header values of endpoints used to be stored readable. While the
/// database still has some, freed space is overwritten, and the log that may hold them is emptied:
/// once they are sealed, the files have no copy.
std::vector<Migration> migrate(Connection& connection, const FirstValues& values, base::Log& log) {
    connection.run("PRAGMA secure_delete = ON");
    auto applied = apply_migrations(connection, values, log);
    if (connection.query(sql::readable_headers).next()) {
        connection.checkpoint(true);
    } else {
        connection.run("PRAGMA secure_delete = FAST");
    }
    return applied;
}

class OpenSqliteDatabase final : public SqliteDatabase {
public:
    OpenSqliteDatabase(const fs::path& file, const Settings& settings, base::Log& log,
                       OnFatal on_fatal)
        : lock_{file}, health_{log, std::move(on_fatal)} {
        keep_private(file, log);
        at_start(file, [&] {
            auto connection = std::make_unique<Connection>(file, Connection::Role::writer);
            const bool clean = prepare(*connection, file, settings, log);
            writer_ = std::make_unique<Writer>(std::move(connection), *time_, health_, log);
            readers_ = std::make_unique<Readers>(file, settings.readers, *time_, health_);
            if (!clean) check_ = std::make_unique<FileCheck>(file, health_, log);
        });
        store_ = make_store(*writer_, *readers_);
        queue_ = make_event_queue(*writer_, *readers_);
        pull_queue_ = make_pull_queue(*writer_, *readers_);
        feed_ = make_feed(*readers_);
        clock_ = make_clock(*time_, *writer_);
        retention_ = make_retention(*writer_);
    }

    Store& store() override { return *store_; }
    EventQueue& queue() override { return *queue_; }
    PullQueue& pull_queue() override { return *pull_queue_; }
    Feed& feed() override { return *feed_; }
    FeedMeter& feed_meter() override { return *feed_; }
    Clock& clock() override { return *clock_; }
    Retention& retention() override { return *retention_; }
    SqlRows run_sql(Transaction& tx, const std::string& statement,
                    std::span<const SqlValue> values) override {
        return run_caller_sql(dynamic_cast<TransactionOf<Session>&>(tx).session(), statement,
                              values);
    }
    [[nodiscard]] bool disk_is_full() const override { return health_.is_full(); }

private:
    /// Migrates, selects the clock, ends the leases. Returns whether the previous process closed
    /// the file properly.
    bool prepare(Connection& connection, const fs::path& file, const Settings& settings,
                 base::Log& log);

    // Order of destruction: the writer closes its connection last, which checkpoints; then the lock
    // is released.
    FileLock lock_;
    Health health_;
    std::unique_ptr<Time> time_;
    std::unique_ptr<Writer> writer_;
    std::unique_ptr<Readers> readers_;
    std::unique_ptr<Store> store_;
    std::unique_ptr<EventQueue> queue_;
    std::unique_ptr<PullQueue> pull_queue_;
    std::unique_ptr<MeteredFeed> feed_;
    std::unique_ptr<Clock> clock_;
    std::unique_ptr<Retention> retention_;
    std::unique_ptr<FileCheck> check_;
};

bool OpenSqliteDatabase::prepare(Connection& connection, const fs::path& file,
                                 const Settings& settings, base::Log& log) {
    const MigrationStatus migrations = read_migrations(connection);
    if (!migrations.applied.empty()) refuse_another_clock(connection, settings);
    if (!migrations.pending.empty() && !settings.auto_migrate) {
        throw CannotStart{"the database " + file.string() + " lacks " +
                          std::to_string(migrations.pending.size()) +
                          " migrations. Run `sundial db migrate`, or set storage.auto_migrate"};
    }
    use_log(connection, file);
    if (!settings.survives_power_cut) trust_the_power_supply(connection, log);
    const FirstValues first = first_values(settings);
    migrate(connection, first, log);

    connection.execute(sql::begin_write);
    if (settings.test_clock) put_on_test_clock(connection, first.now);
    time_ = std::make_unique<Time>(settings.test_clock ? Time::Mode::test : Time::Mode::system,
                                   setting<Instant>(connection, "time"), settings.real_time, log);
    end_leases(connection, time_->now());
    const bool clean = setting<bool>(connection, "clean_stop");
    connection.execute(sql::set_setting, std::string_view{"clean_stop"}, false);
    connection.execute(sql::commit);
    return clean;
}

/// Rejects a file that cannot be our database, before any file is created.
fs::path checked_file(const Settings& settings) {
    base::check(settings.real_time != nullptr);
    const fs::path file = path_of(settings);
    refuse_foreign_file(file);
    if (!settings.auto_migrate && !fs::exists(file)) {
        throw CannotStart{"there is no database " + file.string() +
                          ". Run `sundial db migrate`, or set storage.auto_migrate"};
    }
    return file;
}

}  // namespace

std::unique_ptr<SqliteDatabase> SqliteDatabase::open(const Settings& settings, base::Log& log,
                                                     OnFatal on_fatal) {
    return std::make_unique<OpenSqliteDatabase>(checked_file(settings), settings, log,
                                                std::move(on_fatal));
}

MigrationStatus migration_status(const Settings& settings) {
    const fs::path file = path_of(settings);
    refuse_foreign_file(file);
    if (!fs::exists(file)) return nothing_applied();
    return at_start(file, [&] {
        Connection connection{file, Connection::Role::reader};
        return read_migrations(connection);
    });
}

std::vector<Migration> migrate(const Settings& settings, base::Log& log) {
    base::check(settings.real_time != nullptr);
    const fs::path file = path_of(settings);
    refuse_foreign_file(file);
    const FileLock lock{file};
    keep_private(file, log);
    return at_start(file, [&] {
        Connection connection{file, Connection::Role::writer};
        if (read_migrations(connection).pending.empty()) return std::vector<Migration>{};
        use_log(connection, file);
        return migrate(connection, first_values(settings), log);
    });
}

namespace {

/// The first version in which two connections cannot race to reset the log
/// (https://sqlite.org/wal.html).
constexpr int without_reset_race = 3'051'003;

}  // namespace

LibraryVersion library_version() {
    LibraryVersion library{sqlite3_libversion(), {}};
    if (sqlite3_libversion_number() < without_reset_race) {
        library.note =
            "older than 3.51.3, which is safe here: one connection performs all writes and "
            "checkpoints, so the log is never reset by two at once";
    }
    return library;
}

void count_no_memory() { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

}  // namespace sundial::sqlite
