#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/feed_meter.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/retention.hpp"
#include "application/ports/store.hpp"
#include "application/ports/wakeups.hpp"
#include "base/log.hpp"

namespace sundial::postgres {

struct Settings {
    std::string url;  // postgresql://… or "host=… dbname=…", as libpq takes it
    /// For hints between instances: of the same server, by no pooler. Empty: there are none.
    std::string listen_url{};
    std::size_t pool_size = 8;          // connections at most
    std::uint32_t shards = 16;          // 1 to 256; fixed by the first migration
    TimeOfDay birthday_time{9 * 3600};  // of the row `birthday`; read by the first migration only
    bool test_clock = false;            // the database's clock stands still until it is set
    bool auto_migrate = true;
    /// Statements are prepared by name on each connection that leads to the server itself. Behind a
    /// pooler, which may hand out another session for each transaction, they are sent in full.
    bool prepare_statements = true;
    std::chrono::milliseconds pool_wait{5'000};
    std::chrono::milliseconds statement_timeout{5'000};
    std::chrono::milliseconds lock_timeout{1'000};
    std::chrono::milliseconds idle_in_transaction_timeout{10'000};
    /// How long is asked what became of a transaction to whose COMMIT no answer came.
    std::chrono::milliseconds resolve_for{5'000};
    /// Told of each such transaction, from any thread; may be empty.
    std::function<void(std::string_view operation)> on_outcome_unknown{};
};

struct PoolUse {
    std::size_t idle = 0;
    std::size_t in_use = 0;
    std::size_t waiting = 0;  // calls that wait for one
};

/// Where a server listens.
struct ServerAddress {
    std::string address;  // of IP
    std::uint16_t port = 0;
    friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

/// One migration of the schema.
struct Migration {
    int version;
    std::string name;      // "first"
    std::string checksum;  // SHA-256 of its text, in hex
};
struct MigrationStatus {
    std::vector<Migration> applied;
    std::vector<Migration> pending;
};

/// A PostgreSQL database as the application's ports.
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
    [[nodiscard]] virtual PoolUse pool_use() const = 0;
    /// Every server that it has been connected to by TCP. Thread-safe.
    [[nodiscard]] virtual std::vector<ServerAddress> servers() const = 0;
    /// "15.20": the server's.
    [[nodiscard]] virtual std::string server_version() const = 0;
    /// Settings of the server with which what was acknowledged may be lost: "fsync = off".
    [[nodiscard]] virtual std::vector<std::string> unsafe_settings() const = 0;
    /// For how long nothing could be written; empty while it can, or nobody has tried of late.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> failing_for() const = 0;
    /// Hints to `local` that also reach the other instances when they are about less than `tick`
    /// from now. Null without a listen_url.
    [[nodiscard]] virtual std::unique_ptr<Wakeups> share_wakeups(
        Wakeups& local, std::chrono::microseconds tick) = 0;
};

/// What is applied and what is not. Changes nothing. Throws as `open` does.
[[nodiscard]] MigrationStatus migration_status(const Settings& settings, base::Log& log);
/// Applies what is pending and returns it. Instances may do so at once: one does, the others wait.
std::vector<Migration> migrate(const Settings& settings, base::Log& log);

}  // namespace sundial::postgres
