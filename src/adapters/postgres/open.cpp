#include "adapters/postgres/open.hpp"

#include <utility>

#include "adapters/postgres/clock.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/event_queue.hpp"
#include "adapters/postgres/feed.hpp"
#include "adapters/postgres/migrate.hpp"
#include "adapters/postgres/migration_statements.hpp"
#include "adapters/postgres/pull_queue.hpp"
#include "adapters/postgres/refusal.hpp"
#include "adapters/postgres/retention.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/store.hpp"
#include "adapters/postgres/wake_channel.hpp"
#include "application/ports/failures.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds silence = 10s;

class OpenDatabase final : public PostgresDatabase {
public:
    struct Found {
        std::uint32_t shards;
        int server_version;
        std::vector<std::string> unsafe_settings;
    };
    OpenDatabase(const Settings& settings, base::Log& log, Found found)
        : database_{settings, found.shards, log},
          // A test may set its clock back, so there are no floors.
          queue_{database_, settings.test_clock ? ClaimFloors::no_number : ClaimFloors::many},
          clock_{database_, settings.test_clock},
          found_{std::move(found)},
          listen_url_{settings.listen_url},
          log_{log} {}

    Store& store() override { return store_; }
    EventQueue& queue() override { return queue_; }
    PullQueue& pull_queue() override { return pull_queue_; }
    Feed& feed() override { return feed_; }
    FeedMeter& feed_meter() override { return feed_; }
    Retention& retention() override { return retention_; }
    Clock& clock() override { return clock_; }
    [[nodiscard]] PoolUse pool_use() const override { return database_.pool_use(); }
    [[nodiscard]] std::vector<ServerAddress> servers() const override {
        return database_.servers();
    }
    [[nodiscard]] std::string server_version() const override {
        return std::to_string(found_.server_version / 10'000) + "." +
               std::to_string(found_.server_version % 10'000);
    }
    [[nodiscard]] std::vector<std::string> unsafe_settings() const override {
        return found_.unsafe_settings;
    }
    [[nodiscard]] std::optional<std::chrono::milliseconds> failing_for() const override {
        return database_.failing_for();
    }
    [[nodiscard]] std::unique_ptr<Wakeups> share_wakeups(Wakeups& local,
                                                         std::chrono::microseconds tick) override {
        if (listen_url_.empty()) return nullptr;
        return std::make_unique<WakeChannel>(
            WakeChannel::Settings{listen_url_, tick, [this] { return database_.about_now(); }},
            local, log_);
    }

private:
    Database database_;
    PostgresStore store_{database_};
    PostgresEventQueue queue_;
    PostgresPullQueue pull_queue_{database_};
    PostgresFeed feed_{database_};
    PostgresRetention retention_{database_};
    PostgresClock clock_;
    const Found found_;
    const std::string listen_url_;
    base::Log& log_;
};

template <class... Values>
Answer run(Connection& connection, const Statement& statement, const Values&... values) {
    const Call call{statement, values...};
    return std::move(connection.run({&call, 1}, false, silence).front());
}

void warn(base::Log& log, std::string message) {
    log.write({.level = base::LogLevel::warn,
               .event_name = {},
               .message = std::move(message),
               .correlation_id = {},
               .fields = {}});
}

void check_settings(const Settings& settings) {
    if (settings.shards < 1 || settings.shards > 256) {
        throw CannotStart{"storage.shards is " + std::to_string(settings.shards) +
                          "; it must be 1 to 256"};
    }
    if (!settings.listen_url.empty()) check_url(settings.listen_url);
    if (settings.pool_size < 1) throw CannotStart{"storage.pool_size must be at least 1"};
}

void require_migrated(Connection& connection) {
    const auto status = migration_status(connection);
    if (status.pending.empty()) return;
    throw CannotStart{"the database lacks migration " +
                      std::to_string(status.pending.front().version) + " (" +
                      status.pending.front().name +
                      ") and storage.auto_migrate is off: run `sundial db migrate`"};
}

std::vector<std::string> find_unsafe_settings(Connection& connection, base::Log& log) {
    auto unsafe = column_of<std::string>(run(connection, sql::unsafe_settings), 0);
    for (const std::string& setting : unsafe) {
        warn(log, "PostgreSQL runs with " + setting +
                      ": acknowledged changes may be lost when the server or its machine crashes");
    }
    return unsafe;
}

/// For the coming months. A missing partition does no harm: the default partition takes its rows.
void make_history_partitions(Connection& connection, base::Log& log) {
    try {
        run(connection, sql::make_history_partitions);
    } catch (const SqlError& error) {
        warn(log, std::string{"history partitions for the coming months could not be created: "} +
                      error.what());
    }
}

std::uint32_t fixed_shards(Connection& connection, const Settings& settings, base::Log& log) {
    const Answer stored = run(connection, sql::shards);
    if (stored.empty()) throw Corrupt{"sundial.settings does not say how many shards there are"};
    const auto shards = stored.get<std::uint32_t>(0, 0);
    if (shards != settings.shards) {
        warn(log, "storage.shards = " + std::to_string(settings.shards) +
                      " is ignored: the first migration fixed " + std::to_string(shards));
    }
    return shards;
}

/// An error that waiting cannot fix must not look like an unreachable server.
std::unique_ptr<Connection> connect(const Settings& settings, base::Log& log) {
    try {
        return std::make_unique<Connection>(settings.url, log);
    } catch (const Unavailable& failed) {
        const auto refusal = lasting_refusal(settings.url);
        if (!refusal) throw;
        throw CannotStart{failed.what() + std::string{" – "} + *refusal};
    }
}

/// Failures of a start, in the words of the port.
template <class Work>
auto starting(const Settings& settings, base::Log& log, Work work) {
    check_settings(settings);
    try {
        const auto connection = connect(settings, log);
        check_server(*connection);
        return work(*connection);
    } catch (const ConnectionLost& lost) {
        throw Unavailable{lost.what()};
    } catch (const SqlError& error) {
        if (error.state == "42501") {
            throw CannotStart{std::string{"the PostgreSQL role lacks a privilege: "} +
                              error.what() +
                              "; grant it, or run `sundial db migrate` as the owner"};
        }
        if (is_passing(error)) throw Unavailable{error.what()};
        throw;
    }
}

}  // namespace

std::unique_ptr<PostgresDatabase> PostgresDatabase::open(const Settings& settings, base::Log& log) {
    return starting(settings, log,
                    [&](Connection& connection) -> std::unique_ptr<PostgresDatabase> {
                        if (settings.auto_migrate) {
                            postgres::migrate(connection, settings, log);
                        } else {
                            require_migrated(connection);
                        }
                        choose_clock(connection, settings.test_clock);
                        auto unsafe = find_unsafe_settings(connection, log);
                        make_history_partitions(connection, log);
                        return std::make_unique<OpenDatabase>(
                            settings, log,
                            OpenDatabase::Found{fixed_shards(connection, settings, log),
                                                connection.server_version(), std::move(unsafe)});
                    });
}

MigrationStatus migration_status(const Settings& settings, base::Log& log) {
    return starting(settings, log,
                    [](Connection& connection) { return migration_status(connection); });
}

std::vector<Migration> migrate(const Settings& settings, base::Log& log) {
    return starting(settings, log,
                    [&](Connection& connection) { return migrate(connection, settings, log); });
}

}  // namespace sundial::postgres
