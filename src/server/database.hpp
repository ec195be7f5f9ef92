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
#include "application/ports/pull_queue.hpp"
#include "application/ports/retention.hpp"
#include "application/ports/storage_state.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"
#include "server/settings.hpp"

namespace sundial::server {

/// The database of this process, independent of its kind.
class Database {
public:
    virtual ~Database() = default;
    virtual Store& store() = 0;
    virtual EventQueue& queue() = 0;
    virtual PullQueue& pull_queue() = 0;
    virtual Feed& feed() = 0;
    virtual FeedMeter& feed_meter() = 0;
    virtual Clock& clock() = 0;
    virtual Retention& retention() = 0;
    /// Its pool of connections, if it has one.
    [[nodiscard]] virtual std::optional<PoolUse> connections() const = 0;
    /// Empty on SQLite.
    [[nodiscard]] virtual std::optional<OpenTransactions> open_transactions() = 0;
    /// The TCP addresses it listens on; they may change when a database moves. Thread-safe.
    [[nodiscard]] virtual std::vector<ListenAddress> listens_at() const = 0;
    [[nodiscard]] virtual std::string kind() const = 0;  // "sqlite", "postgresql"
    [[nodiscard]] virtual std::string version() const = 0;
    [[nodiscard]] virtual std::optional<std::string> note() const = 0;
    /// Why writes have failed for longer than readiness tolerates; empty while they succeed.
    [[nodiscard]] virtual std::optional<std::string> write_failure() const = 0;
    /// Sends hints to `local` and to the other instances. Null if there are no other instances, or
    /// hints cannot reach them.
    [[nodiscard]] virtual std::unique_ptr<Wakeups> share_wakeups(
        Wakeups& local, std::chrono::microseconds tick) = 0;
};

/// Called from any thread when the database can no longer be trusted. The process must then end
/// with a non-zero exit code.
using OnFatal = std::function<void(const std::string& why)>;
/// Called from any thread when a COMMIT gets no response.
using OnOutcomeUnknown = std::function<void(std::string_view purpose)>;

/// Throws Unavailable if a later retry may help (PostgreSQL does not respond), CannotStart if not.
[[nodiscard]] std::unique_ptr<Database> open_database(const Settings& settings, bool test_clock,
                                                      base::Log& log, OnFatal on_fatal,
                                                      OnOutcomeUnknown on_outcome_unknown);

/// The output of `sundial db migrate` and `status`: one line per migration.
struct SchemaReport {
    std::string text;
    bool up_to_date = false;
    int version = 0;  // of the latest applied migration; 0: none
    std::size_t pending = 0;
};
[[nodiscard]] SchemaReport migrate_database(const Settings& settings, base::Log& log);
[[nodiscard]] SchemaReport database_status(const Settings& settings, base::Log& log);

/// The rights that `sundial db grant` gives a role.
struct Grant {
    std::string role;
    bool calls = true;      // the functions for programs that speak SQL
    bool reads = false;     // the views, without payloads
    bool payloads = false;  // the payloads, too
};
/// Throws CannotStart with the reason, also if the database is not a PostgreSQL.
void grant_rights(const Settings& settings, const Grant& grant, base::Log& log);

/// The file that `storage.url` names; empty if it names a server. Throws CannotStart if it names
/// neither.
[[nodiscard]] std::optional<std::string> sqlite_file(const std::string& url);

/// Turns the value of `--db` into `storage.url`: a URL stays, anything else is a SQLite file.
[[nodiscard]] std::string database_url(const std::string& text);

}  // namespace sundial::server
