#include "server/bench/scratch_database.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "adapters/postgres/connection.hpp"
#include "adapters/sqlite/connection.hpp"
#include "adapters/system/ids.hpp"
#include "application/ports/failures.hpp"
#include "base/uuid.hpp"

namespace sundial::bench {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Sixteen random hex digits, for a unique name.
std::string fresh_name() {
    system::SystemIds ids;
    const std::string uuid = base::to_string(ids.fresh());
    std::string name;
    for (const char each : uuid.substr(uuid.size() - 17)) {
        if (each != '-') name += each;
    }
    return name;
}

class ScratchFile final : public ScratchDatabase {
public:
    /// Empty: a file in its own folder in the system's directory of temporary files.
    explicit ScratchFile(const std::string& file) {
        if (file.empty()) {
            folder_ = fs::temp_directory_path() / ("sundial-bench-" + fresh_name());
            fs::create_directory(folder_);
            file_ = folder_ / "bench.db";
        } else {
            file_ = file;
            if (fs::exists(file_)) {
                throw CannotStart("--db: " + file +
                                  " already exists; name a file that does not exist, which is "
                                  "created and removed");
            }
            if (const fs::path parent = file_.parent_path();
                !parent.empty() && !fs::is_directory(parent))
                throw CannotStart("--db: there is no folder " + parent.string());
        }
        url_ = "sqlite:" + file_.string();
    }
    ~ScratchFile() override {
        if (kept()) return;
        std::error_code ignored;
        for (const char* part : {"", "-wal", "-shm", "-lock", ".key"}) {
            fs::remove(file_.string() + part, ignored);
        }
        if (!folder_.empty()) fs::remove(folder_, ignored);
    }

    [[nodiscard]] const std::string& url() const override { return url_; }
    /// The product's counters are exact: they change in the same transactions as the rows.
    [[nodiscard]] Stock stock(server::Database& opened) override {
        const auto stored = opened.queue().depth().stored;
        const auto of = [&stored](EventStatus status) {
            return stored[static_cast<std::size_t>(status)];
        };
        return {.live = of(EventStatus::pending) + of(EventStatus::processing),
                .completed = of(EventStatus::completed),
                .other = of(EventStatus::failed) + of(EventStatus::cancelled)};
    }
    void tidy() override {}  // the last close has checkpointed the WAL
    [[nodiscard]] Usage usage() override { return {.written = writes_of(::getpid())}; }
    [[nodiscard]] std::shared_ptr<void> hold_snapshot() override {
        auto reader = std::make_shared<sqlite::Connection>(file_, sqlite::Connection::Role::reader);
        reader->run("BEGIN; SELECT count(*) FROM events;");
        return reader;
    }

private:
    fs::path folder_{};  // empty: not created here
    fs::path file_{};
    std::string url_{};
};

/// `url` with another database's name in its path.
std::string with_database(const std::string& url, const std::string& name) {
    const auto host = url.find("://") + 3;
    const auto path = std::min(url.find('/', host), url.find('?', host));
    const auto parameters = url.find('?', host);
    return url.substr(0, path) + "/" + name +
           (parameters == std::string::npos ? "" : url.substr(parameters));
}

constexpr auto timeout = 600s;  // a checkpoint after a million rows takes minutes on slow disks

constexpr postgres::Statement count_stock{"bench_stock", R"sql(
    SELECT (SELECT count(*) FROM sundial.events),
           (SELECT count(*) FROM sundial.event_history WHERE status = 'COMPLETED'),
           (SELECT count(*) FROM sundial.event_history WHERE status <> 'COMPLETED'))sql"};
constexpr postgres::Statement log_position{
    "bench_log_position", "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint"};
constexpr postgres::Statement may_checkpoint{"bench_may_checkpoint",
                                             "SELECT pg_has_role('pg_checkpoint', 'USAGE')"};
constexpr postgres::Statement name_of_database{"bench_name", "SELECT current_database()::text"};

class ScratchServerDatabase final : public ScratchDatabase {
public:
    ScratchServerDatabase(const std::string& url, base::Log& log)
        : log_(log), server_(url, log), name_("sundial_bench_" + fresh_name()) {
        try {
            server_.run_script("CREATE DATABASE " + name_ + " TEMPLATE template0", timeout);
        } catch (const postgres::SqlError& refused) {
            throw CannotStart(std::string("--db: a separate database for the benchmark could not "
                                          "be created on that server: ") +
                              refused.what() +
                              "; allow the user to create databases (ALTER ROLE … CREATEDB)");
        }
        url_ = with_database(url, name_);
    }
    ~ScratchServerDatabase() override {
        own_.reset();
        if (kept()) return;
        try {
            server_.run_script("DROP DATABASE " + name_ + " WITH (FORCE)", timeout);
        } catch (const std::exception& error) {
            base::LogLine line;
            line.level = base::LogLevel::warn;
            line.message = "the database " + name_ + " was not removed: " + error.what();
            log_.write(std::move(line));
        }
    }

    [[nodiscard]] const std::string& url() const override { return url_; }
    [[nodiscard]] Stock stock(server::Database& /*opened*/) override {
        const postgres::Answer counts = ask(own(), count_stock);
        const auto of = [&counts](int column) {
            return static_cast<std::uint64_t>(counts.get<std::int64_t>(0, column));
        };
        return {.live = of(0), .completed = of(1), .other = of(2)};
    }
    void tidy() override {
        for (const char* table : {"events", "event_history", "event_keys", "recorded_events"}) {
            own().run_script(std::string("VACUUM (ANALYZE) sundial.") + table, timeout);
        }
        // Without permission for a checkpoint, the run may pay for one.
        if (ask(own(), may_checkpoint).get<bool>(0, 0)) own().run_script("CHECKPOINT", timeout);
    }
    [[nodiscard]] Usage usage() override {
        const bool here = !server_.server() || server_.server()->address.starts_with("127.") ||
                          server_.server()->address == "::1";
        const auto written =
            static_cast<std::uint64_t>(ask(server_, log_position).get<std::int64_t>(0, 0));
        return {.database = here ? server_cpu(server_.backend_process()) : std::nullopt,
                .written = written};
    }
    [[nodiscard]] std::shared_ptr<void> hold_snapshot() override {
        auto reader = std::make_shared<postgres::Connection>(url_, log_);
        reader->run_script(
            "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM sundial.settings",
            timeout);
        return reader;
    }

private:
    static postgres::Answer ask(postgres::Connection& connection,
                                const postgres::Statement& question) {
        const postgres::Call call{question};
        return std::move(connection.run({&call, 1}, true, timeout).front());
    }
    /// A connection to the scratch database itself, once its tables exist.
    postgres::Connection& own() {
        if (!own_) {
            own_ = std::make_unique<postgres::Connection>(url_, log_);
            if (ask(*own_, name_of_database).get<std::string>(0, 0) != name_) {
                throw CannotStart(
                    "--db: name the database in the URL's path, not among its parameters");
            }
        }
        return *own_;
    }

    base::Log& log_;
    postgres::Connection server_;
    std::string name_;
    std::string url_{};
    std::unique_ptr<postgres::Connection> own_{};
};

}  // namespace

std::unique_ptr<ScratchDatabase> ScratchDatabase::make(const std::string& db, base::Log& log) {
    if (db.empty()) return std::make_unique<ScratchFile>("");
    const std::string url = server::database_url(db);
    if (const auto file = server::sqlite_file(url)) return std::make_unique<ScratchFile>(*file);
    return std::make_unique<ScratchServerDatabase>(url, log);
}

}  // namespace sundial::bench
