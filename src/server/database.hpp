#pragma once

#include <chrono>
#include <cstddef>
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
#include "server/settings.hpp"

namespace sundial::server {

struct PoolUse {
    std::size_t idle = 0;
    std::size_t in_use = 0;
    std::size_t waiting = 0;  // calls that wait for one
};

/// The one database of this process, whichever it is.
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
    /// Its pool of connections, where it has one.
    [[nodiscard]] virtual std::optional<PoolUse> connections() const = 0;
    /// Where it listens, as far as it is reached by TCP: a database may move. Thread-safe.
    [[nodiscard]] virtual std::vector<ListenAddress> listens_at() const = 0;
    [[nodiscard]] virtual std::string kind() const = 0;  // "sqlite", "postgresql"
    [[nodiscard]] virtual std::string version() const = 0;
    [[nodiscard]] virtual std::optional<std::string> note() const = 0;
    /// Why nothing can be written, for longer than one overlooks; empty while it can.
    [[nodiscard]] virtual std::optional<std::string> trouble() const = 0;
    /// Hints to `local` and to the other instances; null where there are none, or nobody is told
    /// of them.
    [[nodiscard]] virtual std::unique_ptr<Wakeups> share_wakeups(
        Wakeups& local, std::chrono::microseconds tick) = 0;
};

/// Called from any thread when the database can no longer be trusted: the process must end,
/// non-zero.
using OnFatal = std::function<void(const std::string& why)>;
/// Called from any thread when no answer came to a COMMIT.
using OnOutcomeUnknown = std::function<void(std::string_view operation)>;

/// Throws Unavailable where trying again later may help (PostgreSQL does not answer), CannotStart
/// where it does not.
[[nodiscard]] std::unique_ptr<Database> open_database(const Settings& settings, bool test_clock,
                                                      base::Log& log, OnFatal on_fatal,
                                                      OnOutcomeUnknown on_outcome_unknown);

/// What `sundial db migrate` and `status` print: one line for each migration.
struct SchemaReport {
    std::string text;
    bool up_to_date = false;
};
[[nodiscard]] SchemaReport migrate_database(const Settings& settings, base::Log& log);
[[nodiscard]] SchemaReport database_status(const Settings& settings, base::Log& log);

/// The file that `storage.url` names; nothing if it names a server. Throws CannotStart if it names
/// neither.
[[nodiscard]] std::optional<std::string> sqlite_file(const std::string& url);

/// What `--db` means as `storage.url`: a URL stays, anything else is a SQLite file.
[[nodiscard]] std::string database_url(const std::string& text);

}  // namespace sundial::server
