#include "server/database.hpp"

#include <sstream>

#include "adapters/postgres/open.hpp"
#include "adapters/sqlite/open.hpp"
#include "adapters/system/clocks.hpp"
#include "application/ports/failures.hpp"

namespace sundial::server {
namespace {

constexpr std::chrono::seconds longest_outage{10};  // tolerated by readiness (reliability 5)

class Sqlite final : public Database {
public:
    explicit Sqlite(std::unique_ptr<sqlite::SqliteDatabase> opened) : opened_(std::move(opened)) {}
    Store& store() override { return opened_->store(); }
    EventQueue& queue() override { return opened_->queue(); }
    PullQueue& pull_queue() override { return opened_->pull_queue(); }
    Feed& feed() override { return opened_->feed(); }
    FeedMeter& feed_meter() override { return opened_->feed_meter(); }
    Clock& clock() override { return opened_->clock(); }
    Retention& retention() override { return opened_->retention(); }
    [[nodiscard]] std::optional<PoolUse> connections() const override { return std::nullopt; }
    [[nodiscard]] std::optional<OpenTransactions> open_transactions() override {
        return std::nullopt;
    }
    [[nodiscard]] std::vector<ListenAddress> listens_at() const override { return {}; }
    [[nodiscard]] std::string kind() const override { return "sqlite"; }
    [[nodiscard]] std::string version() const override { return sqlite::library_version().version; }
    [[nodiscard]] std::optional<std::string> note() const override {
        std::string note = sqlite::library_version().note;
        return note.empty() ? std::nullopt : std::optional(std::move(note));
    }
    [[nodiscard]] std::optional<std::string> write_failure() const override {
        if (!opened_->disk_is_full()) return std::nullopt;  // any other failure ends the process
        return "the disk is full";
    }
    [[nodiscard]] std::unique_ptr<Wakeups> share_wakeups(
        Wakeups& /*local*/, std::chrono::microseconds /*tick*/) override {
        return nullptr;
    }

private:
    std::unique_ptr<sqlite::SqliteDatabase> opened_;
};

class Postgres final : public Database {
public:
    explicit Postgres(std::unique_ptr<postgres::PostgresDatabase> opened)
        : opened_(std::move(opened)) {}
    Store& store() override { return opened_->store(); }
    EventQueue& queue() override { return opened_->queue(); }
    PullQueue& pull_queue() override { return opened_->pull_queue(); }
    Feed& feed() override { return opened_->feed(); }
    FeedMeter& feed_meter() override { return opened_->feed_meter(); }
    Clock& clock() override { return opened_->clock(); }
    Retention& retention() override { return opened_->retention(); }
    [[nodiscard]] std::optional<PoolUse> connections() const override {
        return opened_->pool_use();
    }
    [[nodiscard]] std::optional<OpenTransactions> open_transactions() override {
        return opened_->open_transactions();
    }
    [[nodiscard]] std::vector<ListenAddress> listens_at() const override {
        std::vector<ListenAddress> all;
        for (auto& server : opened_->servers())
            all.push_back({std::move(server.address), server.port});
        return all;
    }
    [[nodiscard]] std::string kind() const override { return "postgresql"; }
    [[nodiscard]] std::string version() const override { return opened_->server_version(); }
    [[nodiscard]] std::optional<std::string> note() const override {
        std::string unsafe;
        for (const std::string& setting : opened_->unsafe_settings()) {
            unsafe += unsafe.empty() ? "" : ", ";
            unsafe += setting;
        }
        if (unsafe.empty()) return std::nullopt;
        return unsafe + ": acknowledged changes may be lost when the server or its machine crashes";
    }
    [[nodiscard]] std::optional<std::string> write_failure() const override {
        if (opened_->failing_for() < longest_outage) return std::nullopt;
        return "the database accepts no writes";
    }
    [[nodiscard]] std::unique_ptr<Wakeups> share_wakeups(Wakeups& local,
                                                         std::chrono::microseconds tick) override {
        return opened_->share_wakeups(local, tick);
    }

private:
    std::unique_ptr<postgres::PostgresDatabase> opened_;
};

sqlite::Settings sqlite_settings(const Settings& settings, const std::string& file,
                                 bool test_clock) {
    sqlite::Settings own;
    own.file = file;
    own.real_time = system::real_time;
    own.birthday_time = settings.scheduler.birthday_time;
    own.test_clock = test_clock;
    own.auto_migrate = settings.storage.auto_migrate;
    own.survives_power_cut = settings.storage.synchronous == "full";
    return own;
}

postgres::Settings postgres_settings(const Settings& settings, bool test_clock) {
    postgres::Settings own;
    own.url = settings.storage.url;
    own.listen_url = settings.storage.listen_url;
    own.pool_size = settings.storage.pool_size;
    own.shards = settings.storage.shards;
    own.birthday_time = settings.scheduler.birthday_time;
    own.test_clock = test_clock;
    own.auto_migrate = settings.storage.auto_migrate;
    return own;
}

constexpr std::string_view scheme = "sqlite:";

bool names_server(const std::string& url) {
    return url.starts_with("postgresql://") || url.starts_with("postgres://");
}

template <class Migrations>
void list(std::ostringstream& text, const Migrations& migrations, const char* state) {
    for (const auto& migration : migrations) {
        text << migration.version << "  " << state << "  " << migration.name << '\n';
    }
}

template <class Status>
SchemaReport report_of(const Status& status) {
    std::ostringstream text;
    list(text, status.applied, "applied");
    list(text, status.pending, "pending");
    return {text.str(), status.pending.empty(),
            status.applied.empty() ? 0 : status.applied.back().version, status.pending.size()};
}

template <class Migrations>
SchemaReport report_of_applied(const Migrations& applied) {
    std::ostringstream text;
    list(text, applied, "applied");
    if (applied.empty()) text << "the schema is up to date\n";
    return {text.str(), true};
}

}  // namespace

std::optional<std::string> sqlite_file(const std::string& url) {
    if (names_server(url)) return std::nullopt;
    if (!url.starts_with(scheme) || url.size() == scheme.size()) {
        throw CannotStart("storage.url must be sqlite:FILE or postgresql://user@host/database");
    }
    return url.substr(scheme.size());
}

std::string database_url(const std::string& text) {
    return names_server(text) || text.starts_with(scheme) ? text : std::string(scheme) + text;
}

std::unique_ptr<Database> open_database(const Settings& settings, bool test_clock, base::Log& log,
                                        OnFatal on_fatal, OnOutcomeUnknown on_outcome_unknown) {
    if (const auto file = sqlite_file(settings.storage.url)) {
        return std::make_unique<Sqlite>(sqlite::SqliteDatabase::open(
            sqlite_settings(settings, *file, test_clock), log, std::move(on_fatal)));
    }
    postgres::Settings own = postgres_settings(settings, test_clock);
    own.on_outcome_unknown = std::move(on_outcome_unknown);
    return std::make_unique<Postgres>(postgres::PostgresDatabase::open(own, log));
}

SchemaReport migrate_database(const Settings& settings, base::Log& log) {
    if (const auto file = sqlite_file(settings.storage.url)) {
        return report_of_applied(sqlite::migrate(sqlite_settings(settings, *file, false), log));
    }
    return report_of_applied(postgres::migrate(postgres_settings(settings, false), log));
}

void grant_rights(const Settings& settings, const Grant& grant, base::Log& log) {
    if (sqlite_file(settings.storage.url)) {
        throw CannotStart(
            "db grant is for PostgreSQL: a SQLite file has no roles, its mode says who reads it");
    }
    postgres::grant_rights(postgres_settings(settings, false), grant.role,
                           {grant.calls, grant.reads, grant.payloads}, log);
}

SchemaReport database_status(const Settings& settings, base::Log& log) {
    if (const auto file = sqlite_file(settings.storage.url)) {
        return report_of(sqlite::migration_status(sqlite_settings(settings, *file, false)));
    }
    return report_of(postgres::migration_status(postgres_settings(settings, false), log));
}

}  // namespace sundial::server
