#include "embedded/storage.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "adapters/memory/store.hpp"
#include "adapters/postgres/open.hpp"
#include "adapters/redis/open.hpp"
#include "adapters/sqlite/open.hpp"
#include "adapters/system/clocks.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/ports/failures.hpp"

namespace sundial::embedding {

SqlRows Storage::run_sql(sundial::Transaction& /*tx*/, const std::string& /*statement*/,
                         std::span<const SqlValue> /*values*/) {
    throw StatementRefused{{}, "the storage memory: has no SQL"};
}

void Storage::join(pg_conn* /*callers*/,
                   const std::function<bool(sundial::Transaction&)>& /*work*/) {
    throw StatementRefused{{}, "the engine's storage is not a PostgreSQL database"};
}

namespace {

constexpr std::string_view in_memory = "memory:";
constexpr std::string_view in_file = "sqlite:";

/// The system's clock, which never goes back here.
class RealClock final : public Clock {
public:
    Instant now() override {
        const Instant real = system::real_time();
        Instant latest = latest_;
        while (latest < real && !latest_.compare_exchange_weak(latest, real)) {
        }
        return std::max(latest, real);
    }
    [[nodiscard]] bool is_test() const override { return false; }
    sundial::Result<void, ClockNotTest, ValidationFailed> set(Instant /*now*/) override {
        return ClockNotTest{};
    }

private:
    std::atomic<Instant> latest_{Instant::min()};
};

template <class TheClock>
class InMemory final : public Storage {
public:
    template <class... Values>
    explicit InMemory(Values... values) : clock_{values...} {}
    Store& store() override { return store_; }
    EventQueue& queue() override { return store_.queue(); }
    PullQueue& pull_queue() override { return store_.pull_queue(); }
    Clock& clock() override { return clock_; }
    Feed& feed() override { return store_.feed(); }
    FeedMeter& feed_meter() override { return store_.feed(); }
    Retention* retention() override { return nullptr; }

private:
    TheClock clock_;
    memory::MemoryStore store_{clock_};
};

/// A database adapter that provides these ports.
template <class Database>
class Opened final : public Storage {
public:
    explicit Opened(std::unique_ptr<Database> database) : database_(std::move(database)) {}
    Store& store() override { return database_->store(); }
    EventQueue& queue() override { return database_->queue(); }
    PullQueue& pull_queue() override { return database_->pull_queue(); }
    Clock& clock() override { return database_->clock(); }
    Feed& feed() override { return database_->feed(); }
    FeedMeter& feed_meter() override { return database_->feed_meter(); }
    Retention* retention() override { return &database_->retention(); }
    SqlRows run_sql(sundial::Transaction& tx, const std::string& statement,
                    std::span<const SqlValue> values) override {
        return database_->run_sql(tx, statement, values);
    }
    void join(pg_conn* callers, const std::function<bool(sundial::Transaction&)>& work) override {
        if constexpr (requires { database_->join(callers, work); }) {
            database_->join(callers, work);
        } else {
            Storage::join(callers, work);
        }
    }

private:
    std::unique_ptr<Database> database_;
};

std::unique_ptr<Storage> open_file(const Options& options, base::Log& log) {
    sqlite::Settings settings;
    settings.file = options.storage.substr(in_file.size());
    settings.real_time = system::real_time;
    settings.test_clock = options.test_clock;
    const auto on_fatal = [&log](const std::string& why) {
        log.write({.level = base::LogLevel::error,
                   .event_name = {},
                   .message = "the database file cannot be used any more: " + why,
                   .correlation_id = {},
                   .fields = {}});
    };
    return std::make_unique<Opened<sqlite::SqliteDatabase>>(
        sqlite::SqliteDatabase::open(settings, log, on_fatal));
}

std::unique_ptr<Storage> open_server(const Options& options, base::Log& log) {
    postgres::Settings settings;
    settings.url = options.storage;
    settings.test_clock = options.test_clock;
    return std::make_unique<Opened<postgres::PostgresDatabase>>(
        postgres::PostgresDatabase::open(settings, log));
}

}  // namespace

std::unique_ptr<Storage> open_storage(const Options& options, base::Log& log) {
    const std::string_view name = options.storage;
    if (name == in_memory && options.test_clock) {
        return std::make_unique<InMemory<memory::ManualClock>>(system::real_time());
    }
    if (name == in_memory) return std::make_unique<InMemory<RealClock>>();
    if (name.starts_with(in_file) && name.size() > in_file.size()) return open_file(options, log);
    if (name.starts_with("postgresql://") || name.starts_with("postgres://")) {
        return open_server(options, log);
    }
    throw CannotStart{"storage must be memory:, sqlite:FILE or postgresql://user@host/database"};
}

std::unique_ptr<LockStore> open_lock_store(const Options& options, Store& store) {
    if (options.lock_server.empty()) return std::make_unique<StoredLocks>(store);
    return redis::open_locks(options.lock_server, store, "Options::lock_server");
}

}  // namespace sundial::embedding
