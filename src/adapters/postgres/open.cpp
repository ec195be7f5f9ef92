#include "adapters/postgres/open.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "adapters/postgres/caller_sql.hpp"
#include "adapters/postgres/claim_floors.hpp"
#include "adapters/postgres/database.hpp"
#include "adapters/postgres/migrate.hpp"
#include "adapters/postgres/migration_sql.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "adapters/postgres/wake_channel.hpp"
#include "application/ports/failures.hpp"
#include "application/transactions/transaction_of.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_attempt = 3s;

constexpr std::string_view no_such_database = "3D000";
constexpr std::string_view wrong_password = "28P01";
constexpr std::string_view not_let_in = "28000";  // no such role, or pg_hba.conf
constexpr std::string_view no_right = "42501";    // CONNECT on the database

std::string advice(std::string_view state) {
    if (state == no_such_database) {
        return "there is no such database: create it (CREATE DATABASE … ENCODING 'UTF8'), or "
               "correct its name in storage.url";
    }
    if (state == no_right) {
        return "the role may not connect to the database: GRANT CONNECT to it, or name another "
               "role in storage.url";
    }
    return "it rejects this role: correct role and password in storage.url, or allow the role in "
           "pg_hba.conf";
}

struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};
using ConnectAttempt = std::unique_ptr<PGconn, Finish>;

/// An attempt that ended, null if it was given up. Each line of its message ends with a SQLSTATE:
/// words would depend on the server's language. libpq has no other way to the SQLSTATE of a failed
/// connection, and accepts the setting only between PQconnectStart and PQconnectPoll.
ConnectAttempt attempted(const std::string& url) {
    const char* const names[] = {"dbname", nullptr};
    const char* const values[] = {url.c_str(), nullptr};
    ConnectAttempt attempt{PQconnectStartParams(names, values, 1)};
    if (!attempt || PQstatus(attempt.get()) == CONNECTION_BAD) return attempt;
    PQsetErrorVerbosity(attempt.get(), PQERRORS_SQLSTATE);
    const auto end = std::chrono::steady_clock::now() + longest_attempt;
    for (auto next = PGRES_POLLING_WRITING;
         next == PGRES_POLLING_WRITING || next == PGRES_POLLING_READING;
         next = PQconnectPoll(attempt.get())) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        pollfd socket{
            .fd = PQsocket(attempt.get()),
            .events = static_cast<short>(next == PGRES_POLLING_READING ? POLLIN : POLLOUT),
            .revents = 0};
        if (left <= 0ms || poll(&socket, 1, static_cast<int>(left.count())) == 0) return nullptr;
    }
    return attempt;
}

/// The remedy if every server of `url` answers and rejects the connection for a permanent reason:
/// no such database, no such role, a wrong password, no right to connect. Empty if a server may
/// still accept the connection. For a start that could not connect: tries once more, for three
/// seconds at most.
std::optional<std::string> lasting_refusal(const std::string& url) {
    const ConnectAttempt attempt = attempted(url);
    if (!attempt || PQstatus(attempt.get()) != CONNECTION_BAD) return std::nullopt;
    if (PQconnectionNeedsPassword(attempt.get()) == 1)
        return advice(wrong_password);  // none is given
    std::optional<std::string> advised;
    std::istringstream lines{PQerrorMessage(attempt.get())};
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        const std::string_view state =
            std::string_view{line}.substr(line.size() - std::min<std::size_t>(line.size(), 5));
        constexpr std::array lasting{no_such_database, wrong_password, not_let_in, no_right};
        if (std::ranges::find(lasting, state) == lasting.end()) return std::nullopt;
        advised = advice(state);
    }
    return advised;
}

constexpr std::chrono::milliseconds silence_at_start = 10s;

/// Vacuum ignores the snapshots of other vacuums. Roles without pg_read_all_stats see neither
/// transaction nor start of the sessions of other roles.
constexpr Statement open_transactions_of_all{"open_transactions", R"sql(
    SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start))
                        FILTER (WHERE backend_type <> 'autovacuum worker'), 0)::bigint,
           count(*) FILTER (WHERE usesysid IS NOT NULL AND backend_start IS NULL)
      FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid())sql"};

class OpenDatabase final : public PostgresDatabase {
public:
    struct Found {
        std::uint32_t shards;
        bool distributed;
        int server_version;
        std::vector<std::string> unsafe_settings;
    };
    OpenDatabase(const Settings& settings, base::Log& log, Found found)
        : database_{settings, found.shards, found.distributed, log},
          // A test may set its clock back, and workers count transactions and pages of their own,
          // so there are no floors.
          queue_{make_event_queue(database_, settings.test_clock || found.distributed
                                                 ? ClaimFloors::no_number
                                                 : ClaimFloors::many)},
          clock_{make_clock(database_, settings.test_clock)},
          found_{std::move(found)},
          listen_url_{settings.listen_url},
          log_{log} {}

    Store& store() override { return *store_; }
    EventQueue& queue() override { return *queue_; }
    PullQueue& pull_queue() override { return *pull_queue_; }
    Feed& feed() override { return *feed_; }
    FeedMeter& feed_meter() override { return *feed_; }
    Retention& retention() override { return *retention_; }
    SqlRows run_sql(Transaction& tx, const std::string& statement,
                    std::span<const SqlValue> values) override {
        return run_caller_sql(dynamic_cast<TransactionOf<Session>&>(tx).session(), statement,
                              values);
    }
    void join(pg_conn* callers, const std::function<bool(Transaction&)>& work) override {
        database_.join(callers, [&](Session& session) {
            TransactionOf<Session> transaction{session};
            return work(transaction);
        });
    }
    Clock& clock() override { return *clock_; }
    [[nodiscard]] PoolUse pool_use() const override { return database_.pool_use(); }
    [[nodiscard]] OpenTransactions open_transactions() override {
        OpenTransactions open;
        database_.read("open_transactions", [&](Session& session) {
            const std::array calls{Call{open_transactions_of_all}};
            const Answer found = std::move(session.run(calls)[0]);
            open = {.oldest = std::chrono::seconds{found.get<std::int64_t>(0, 0)},
                    .hidden_sessions = found.get<std::int64_t>(0, 1)};
        });
        return open;
    }
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
            WakeChannel::Settings{listen_url_, tick,
                                  [this] { return database_.approximate_now(); }},
            local, log_);
    }

private:
    Database database_;
    const std::unique_ptr<Store> store_ = make_store(database_);
    const std::unique_ptr<EventQueue> queue_;
    const std::unique_ptr<PullQueue> pull_queue_ = make_pull_queue(database_);
    const std::unique_ptr<MeteredFeed> feed_ = make_feed(database_);
    const std::unique_ptr<Retention> retention_ = make_retention(database_);
    const std::unique_ptr<Clock> clock_;
    const Found found_;
    const std::string listen_url_;
    base::Log& log_;
};

template <class... Values>
Answer run_at_start(Connection& connection, const Statement& statement, const Values&... values) {
    const Call call{statement, values...};
    return std::move(connection.run({&call, 1}, false, silence_at_start).front());
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

constexpr std::chrono::milliseconds grant_silence{10'000};

void require_migrated(Connection& connection) {
    const auto status = migration_status(connection);
    if (status.pending.empty()) return;
    throw CannotStart{"the database lacks migration " +
                      std::to_string(status.pending.front().version) + " (" +
                      status.pending.front().name +
                      ") and storage.auto_migrate is off: run `sundial db migrate`"};
}

std::vector<std::string> find_unsafe_settings(Connection& connection, base::Log& log) {
    auto unsafe = column_of<std::string>(run_at_start(connection, sql::unsafe_settings), 0);
    for (const std::string& setting : unsafe) {
        warn(log, "PostgreSQL runs with " + setting +
                      ": acknowledged changes may be lost when the server or its machine crashes");
    }
    return unsafe;
}

/// For the coming months. A missing partition does no harm: the default partition takes its rows.
void make_history_partitions(Connection& connection, base::Log& log) {
    try {
        run_at_start(connection, sql::make_history_partitions);
    } catch (const SqlError& error) {
        warn(log, std::string{"history partitions for the coming months could not be created: "} +
                      error.what());
    }
}

std::uint32_t fixed_shards(Connection& connection, const Settings& settings, base::Log& log) {
    const Answer stored = run_at_start(connection, sql::shards);
    if (stored.empty()) throw Corrupt{"sundial.settings does not say how many shards there are"};
    const auto shards = stored.get<std::uint32_t>(0, 0);
    if (shards != settings.shards) {
        warn(log, "storage.shards = " + std::to_string(settings.shards) +
                      " is ignored: the database has " + std::to_string(shards));
    }
    return shards;
}

bool are_events_distributed(Connection& connection) {
    return run_at_start(connection, sql::knows_parts).get<bool>(0, 0) &&
           run_at_start(connection, sql::events_are_distributed).get<bool>(0, 0);
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
                                                are_events_distributed(connection),
                                                connection.server_version(), std::move(unsafe)});
                    });
}

MigrationStatus migration_status(const Settings& settings, base::Log& log) {
    return starting(settings, log,
                    [](Connection& connection) { return migration_status(connection); });
}

void grant_rights(const Settings& settings, const std::string& role, const Rights& rights,
                  base::Log& log) {
    starting(settings, log, [&](Connection& connection) {
        require_migrated(connection);
        const Call grant{sql::grant_to, role, rights.calls, rights.reads, rights.payloads};
        try {
            connection.run({&grant, 1}, true, grant_silence);
        } catch (const SqlError& error) {
            if (error.state == "SD404") throw CannotStart{"there is no role '" + role + "'"};
            throw;
        }
    });
}

std::vector<Migration> migrate(const Settings& settings, base::Log& log) {
    return starting(settings, log,
                    [&](Connection& connection) { return migrate(connection, settings, log); });
}

}  // namespace sundial::postgres
