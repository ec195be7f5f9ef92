#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/outbox.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/retention.hpp"
#include "application/ports/storage_state.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"
#include "sundial/sql.hpp"

struct pg_conn;  // libpq's PGconn

namespace sundial::postgres {

struct Settings {
    std::string url;  // postgresql://… or "host=… dbname=…", in libpq's syntax
    /// For hints between instances: must lead to the same server without a pooler. Empty: no hints.
    std::string listen_url{};
    std::size_t pool_size = 8;          // maximum connections
    std::uint32_t shards = 16;          // 1 to 256; fixed by the first migration
    TimeOfDay birthday_time{9 * 3600};  // for the row `birthday`; read by the first migration only
    bool test_clock = false;            // the database's clock stands still until it is set
    bool auto_migrate = true;
    /// Prepare statements by name on direct connections. Behind a pooler, which may use another
    /// session for each transaction, their full text is sent.
    bool prepare_statements = true;
    std::chrono::milliseconds pool_wait{5'000};
    std::chrono::milliseconds statement_timeout{5'000};
    std::chrono::milliseconds lock_timeout{1'000};
    std::chrono::milliseconds idle_in_transaction_timeout{10'000};
    /// How long to look for the outcome of a transaction whose COMMIT got no answer.
    std::chrono::milliseconds resolve_for{5'000};
    /// Called for each such transaction, from any thread; may be empty.
    std::function<void(std::string_view purpose)> on_outcome_unknown{};
};

/// The address at which a server listens.
struct ServerAddress {
    std::string address;  // an IP address
    std::uint16_t port = 0;
    friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

/// One schema migration.
struct Migration {
    int version;
    std::string name;      // "first"
    std::string checksum;  // SHA-256 of its script, in hex
};
struct MigrationStatus {
    std::vector<Migration> applied;
    std::vector<Migration> pending;
};

/// A PostgreSQL database that implements the application's ports.
class PostgresDatabase {
public:
    /// Connects, migrates if asked to, and makes history partitions for the months ahead. Throws
    /// Unavailable while no server answers at the URL (try again later), CannotStart where waiting
    /// does not help: not a URL, no such database or role, a wrong password, a server older than
    /// 15, a database newer than this program or not migrated, or one that was on a test clock.
    [[nodiscard]] static std::unique_ptr<PostgresDatabase> open(const Settings& settings,
                                                                base::Log& log);
    virtual ~PostgresDatabase() = default;

    virtual Store& store() = 0;
    virtual EventQueue& queue() = 0;
    virtual PullQueue& pull_queue() = 0;
    virtual Feed& feed() = 0;
    virtual FeedMeter& feed_meter() = 0;
    virtual Clock& clock() = 0;
    virtual Retention& retention() = 0;
    /// Runs one statement of the program in `tx`, a transaction of `store` or of `join`. Throws
    /// StatementRefused.
    [[nodiscard]] virtual SqlRows run_sql(Transaction& tx, const std::string& statement,
                                          std::span<const SqlValue> values) = 0;
    /// Runs `work` under a savepoint of the transaction that the program has open on `callers`, and
    /// keeps its changes if it returns true. See Database::join.
    virtual void join(pg_conn* callers, const std::function<bool(Transaction&)>& work) = 0;
    [[nodiscard]] virtual PoolUse pool_use() const = 0;
    /// Throws Unavailable.
    [[nodiscard]] virtual OpenTransactions open_transactions() = 0;
    /// Every server to which it has connected by TCP. Thread-safe.
    [[nodiscard]] virtual std::vector<ServerAddress> servers() const = 0;
    /// The server's version, such as "15.20".
    [[nodiscard]] virtual std::string server_version() const = 0;
    /// Server settings that allow acknowledged writes to be lost, such as "fsync = off".
    [[nodiscard]] virtual std::vector<std::string> unsafe_settings() const = 0;
    /// How long writes have been failing; empty if they succeed, or none was tried recently.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> failing_for() const = 0;
    /// Passes hints to `local`, and to the other instances if they are due in less than `tick`.
    /// Null without a listen_url.
    [[nodiscard]] virtual std::unique_ptr<Wakeups> share_wakeups(
        Wakeups& local, std::chrono::microseconds tick) = 0;
};

/// The applied and the pending migrations. Changes nothing. Throws as `open` does.
[[nodiscard]] MigrationStatus migration_status(const Settings& settings, base::Log& log);
/// Applies the pending migrations and returns them. Several instances may call it at once: one
/// migrates, the others wait.
std::vector<Migration> migrate(const Settings& settings, base::Log& log);

/// The rights of a role: call the functions for callers, read the views, read payloads in
/// them.
struct Rights {
    bool calls, reads, payloads;
};
/// Gives the role these rights, if the schema is up to date and its owner asks. Throws as `open`
/// does, and CannotStart if there is no such role.
void grant_rights(const Settings& settings, const std::string& role, const Rights& rights,
                  base::Log& log);

/// Throws CannotStart if `url`, the value of `setting`, is not a libpq connection string. The error
/// text contains nothing that may be part of a password.
void check_url(const std::string& url, std::string_view setting = "storage.url");
/// The table `sundial_outbox` of another program's database. Connects at the first call, and again
/// after a failure.
[[nodiscard]] std::unique_ptr<Outbox> open_outbox(const std::string& url, base::Log& log);

}  // namespace sundial::postgres
