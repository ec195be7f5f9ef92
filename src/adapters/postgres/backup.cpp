#include "adapters/postgres/backup.hpp"

#include <array>
#include <exception>
#include <optional>

#include "adapters/postgres/plain_connection.hpp"
#include "adapters/postgres/reshard.hpp"
#include "application/ports/failures.hpp"
#include "application/ports/instance_repository.hpp"
#include "base/crash_point.hpp"

namespace sundial::postgres {
namespace {

class OpenSnapshot final : public BackupSnapshot {
public:
    explicit OpenSnapshot(const std::string& url) : connection_{url, false} {
        if (!is_a_database_of_ours(connection_)) {
            throw CannotStart{
                "the database has no schema of sundial. Give another one (--db or storage.url)"};
        }
        connection_.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        const PlainAnswer facts = connection_.run(R"sql(
            SELECT (SELECT max(version) FROM sundial.schema_migrations),
                   to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                   split_part(current_setting('server_version'), ' ', 1),
                   coalesce((SELECT tz_release FROM sundial.events
                              ORDER BY created_at DESC LIMIT 1), ''),
                   EXISTS (SELECT FROM sundial.test_clock),
                   pg_snapshot_xmax(pg_current_snapshot())::text)sql");
        if (facts.text(0, 4) == "t") {
            throw CannotStart{
                "the database has a test clock, and such a database cannot be saved. Use "
                "pg_dump, or a database without --test-clock"};
        }
        schema_version_ = static_cast<int>(facts.number(0, 0));
        taken_at_ = facts.text(0, 1);
        server_version_ = facts.text(0, 2);
        tz_release_ = facts.text(0, 3);
        first_later_ = facts.number(0, 5);
        later_.emplace(url, false);
    }
    [[nodiscard]] int schema_version() const override { return schema_version_; }
    [[nodiscard]] std::string taken_at() const override { return taken_at_; }
    [[nodiscard]] std::string server_version() const override { return server_version_; }
    [[nodiscard]] std::string tz_release() const override { return tz_release_; }
    [[nodiscard]] std::vector<SavedTable> tables() override { return tables_of(connection_); }
    [[nodiscard]] std::vector<SavedSequence> sequences() override {
        const PlainAnswer names = connection_.run(
            "SELECT relname FROM pg_class WHERE relkind = 'S'"
            " AND relnamespace = 'sundial'::regnamespace ORDER BY relname");
        std::vector<SavedSequence> sequences;
        for (int row = 0; row < names.rows(); ++row) {
            const std::string name = names.text(row, 0);
            // Read after the rows, so it is at least as far as they are: sequences have no
            // snapshot.
            const PlainAnswer state = connection_.run("SELECT last_value, is_called FROM sundial." +
                                                      connection_.identifier(name));
            sequences.push_back({name, state.number(0, 0), state.text(0, 1) == "t"});
        }
        return sequences;
    }
    std::int64_t copy(const SavedTable& table,
                      const std::function<void(std::string_view)>& sink) override {
        return copy_out(connection_,
                        "COPY (SELECT " + connection_.columns_of(table) + " FROM sundial." +
                            connection_.identifier(table.name) + ") TO STDOUT",
                        sink);
    }
    [[nodiscard]] std::int64_t transactions_since() override {
        return later_->run("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").number(0, 0) -
               first_later_;
    }

private:
    PlainConnection connection_;
    std::optional<PlainConnection> later_{};
    int schema_version_ = 0;
    std::string taken_at_, server_version_, tz_release_;
    std::int64_t first_later_ = 0;
};

struct ServerInvariant {
    const char* broken;  // follows a number
    const char* sql;     // counts the rows that break it
};
constexpr std::array<ServerInvariant, 5> server_invariants{{
    {"live events belong to users that do not exist",
     "SELECT count(*) FROM sundial.events AS event WHERE user_id IS NOT NULL"
     " AND NOT EXISTS (SELECT FROM sundial.users WHERE users.id = event.user_id)"},
    {"live events go to endpoints that do not exist",
     "SELECT count(*) FROM sundial.events AS event WHERE endpoint_id IS NOT NULL"
     " AND NOT EXISTS (SELECT FROM sundial.endpoints WHERE endpoints.id = event.endpoint_id)"},
    {"events are live and finished at once",
     "SELECT count(*) FROM sundial.events AS event JOIN sundial.event_history AS done USING "
     "(shard, id)"},
    {"live events have a version or an attempt below its minimum",
     "SELECT count(*) FROM sundial.events WHERE version < 1 OR attempt < 0 OR retry_count > "
     "attempt"},
    {"live events are in the wrong shard",
     "SELECT count(*) FROM sundial.events WHERE shard <> get_byte(uuid_send(id), 15) %"
     " (SELECT value::integer FROM sundial.settings WHERE name = 'shards')"},
}};

}  // namespace

std::unique_ptr<BackupSnapshot> BackupSnapshot::open(const std::string& url) {
    return std::make_unique<OpenSnapshot>(url);
}

DatabaseContent check_database(const std::string& url) {
    PlainConnection connection{url, false};
    DatabaseContent content;
    if (!is_a_database_of_ours(connection)) {
        content.faults.emplace_back("the database has no schema of sundial");
        return content;
    }
    connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    content.schema_version = static_cast<int>(
        connection.run("SELECT max(version) FROM sundial.schema_migrations").number(0, 0));
    for (const SavedTable& table : tables_of(connection)) {
        // Reads every row, so damaged pages show (with data checksums, all of them).
        content.rows.emplace_back(table.name,
                                  connection
                                      .run("SELECT count(row.*) FROM sundial." +
                                           connection.identifier(table.name) + " AS row")
                                      .number(0, 0));
    }
    for (const ServerInvariant& each : server_invariants) {
        const std::int64_t broken = connection.run(each.sql).number(0, 0);
        if (broken > 0) content.faults.push_back(std::to_string(broken) + " " + each.broken);
    }
    const PlainAnswer indexes = connection.run(
        "SELECT indexrelid::regclass FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
        " WHERE relnamespace = 'sundial'::regnamespace AND NOT indisvalid");
    for (int row = 0; row < indexes.rows(); ++row) {
        content.faults.push_back("index " + indexes.text(row, 0) +
                                 " is not valid. Run `REINDEX INDEX " + indexes.text(row, 0) + "`");
    }
    return content;
}

namespace {

class Restoring final : public RestoreTransaction {
public:
    Restoring(const std::string& url, bool replace) : connection_{url, true} {
        connection_.run("BEGIN");
        std::string all;
        for (const SavedTable& table : tables_of(connection_)) {
            all += (all.empty() ? "sundial." : ", sundial.") + connection_.identifier(table.name);
        }
        connection_.run("LOCK TABLE " + all + ", sundial.instances, sundial.instance_reports" +
                        " IN ACCESS EXCLUSIVE MODE");
        refuse_running_instances(connection_, "it can be restored");
        if (!replace && has_data(connection_)) {
            throw CannotStart{
                "the database has data. Give --replace to delete it, or another database"};
        }
        // Users are deleted one by one elsewhere, because their events end with them.
        // The outcomes of finished events are in the backup.
        connection_.run(
            "ALTER TABLE sundial.users DISABLE TRIGGER USER;"
            "ALTER TABLE sundial.event_history DISABLE TRIGGER USER");
        // The backup has a number of shards of its own.
        connection_.run(shards_are_unchecked);
        // RESTART IDENTITY makes `setval` end with the transaction. By itself it outlives a
        // rollback, so a dry run would move the sequences of the live database back.
        connection_.run("TRUNCATE " + all +
                        ", sundial.instances, sundial.instance_reports RESTART IDENTITY");
    }
    std::int64_t fill(const SavedTable& table,
                      const std::function<std::string_view()>& next) override {
        (void)connection_.run("COPY sundial." + connection_.identifier(table.name) + " (" +
                              connection_.columns_of(table) + ") FROM STDIN");
        for (std::string_view part = next(); !part.empty(); part = next()) {
            if (PQputCopyData(connection_.raw(), part.data(), static_cast<int>(part.size())) != 1) {
                connection_.fail();
            }
        }
        const std::int64_t rows = end_copy_in(connection_);
        CRASH_POINT("restore: after a table");
        return rows;
    }
    void set(const SavedSequence& sequence) override {
        connection_.run("SELECT setval(" +
                        connection_.literal("sundial." + connection_.identifier(sequence.name)) +
                        "::regclass, " + std::to_string(sequence.last) +
                        (sequence.called ? ", true)" : ", false)"));
    }
    [[nodiscard]] RestoredWork finish() override {
        connection_.run(
            "ALTER TABLE sundial.users ENABLE TRIGGER USER;"
            "ALTER TABLE sundial.event_history ENABLE TRIGGER USER");
        declare_shards(connection_);
        // The first follower of a database makes the trigger that queues outcomes.
        connection_.run(
            "SELECT sundial.follow_outcomes(name, event_types) FROM sundial.outcome_followers");
        // An event that was being sent may have arrived, and will be sent again. The new version
        // fences the holders of its claim.
        const std::int64_t claims_ended = connection_
                                              .run(R"sql(
            UPDATE sundial.events
               SET lease_ends = least(lease_ends, now()), version = version + 1,
                   claimable_at = CASE WHEN pull THEN least(claimable_at, now()) ELSE claimable_at END
             WHERE claimed_by IS NOT NULL)sql")
                                              .changed();
        connection_.run(
            "UPDATE sundial.operations SET claimable_at = least(claimable_at, now())"
            " WHERE status = 'RUNNING'");
        RestoredWork work = work_left(connection_);
        work.claims_ended = claims_ended;
        return work;
    }
    [[nodiscard]] PlainConnection& connection() override { return connection_; }
    void commit() override {
        CRASH_POINT("restore: before commit");
        connection_.run("COMMIT");
        try {
            connection_.run("ANALYZE");
        } catch (const std::exception&) {
            // The data is restored. Autovacuum analyses the tables a little later.
        }
    }

private:
    PlainConnection connection_;
};

}  // namespace

int applied_schema_version(const std::string& url) {
    PlainConnection connection{url, false};
    return static_cast<int>(
        connection.run("SELECT max(version) FROM sundial.schema_migrations").number(0, 0));
}

std::unique_ptr<RestoreTransaction> RestoreTransaction::begin(const std::string& url,
                                                              bool replace) {
    return std::make_unique<Restoring>(url, replace);
}

namespace {

std::optional<std::vector<std::vector<std::string>>> instance_roles(PlainConnection& connection) {
    const PlainAnswer known =
        connection.run("SELECT to_regclass('sundial.instance_reports') IS NOT NULL");
    if (known.text(0, 0) != "t") return std::nullopt;
    // One row for each role of an instance; an instance without roles has one, too.
    const PlainAnswer rows =
        connection.run(R"sql(
        SELECT id, coalesce(role, '')
          FROM sundial.instance_reports LEFT JOIN LATERAL unnest(roles) AS role ON true
         WHERE NOT draining
           AND reported_at > sundial.clock() - make_interval(secs => )sql" +
                       std::to_string(silent_instance_after.count()) + ") ORDER BY id");
    std::vector<std::vector<std::string>> all;
    std::string instance;
    for (int row = 0; row < rows.rows(); ++row) {
        if (rows.text(row, 0) != instance) all.emplace_back();
        instance = rows.text(row, 0);
        all.back().push_back(rows.text(row, 1));
    }
    return all;
}

}  // namespace

ServerState server_state(const std::string& url) {
    PlainConnection connection{url, false};
    ServerState state;
    const auto before = std::chrono::steady_clock::now();
    const PlainAnswer clock =
        connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
    state.round_trip = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - before);
    state.clock = std::chrono::microseconds{clock.number(0, 0)};
    const PlainAnswer facts = connection.run(R"sql(
        SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start))::bigint, 0),
               coalesce(max(age(backend_xmin)), 0),
               (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
               current_setting('max_connections')::bigint, pg_is_in_recovery(),
               count(*) FILTER (WHERE usesysid IS NOT NULL AND backend_start IS NULL)
          FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid())sql");
    state.oldest_transaction = facts.number(0, 0);
    state.oldest_snapshot = facts.number(0, 1);
    state.connections = facts.number(0, 2);
    state.most_connections = facts.number(0, 3);
    state.in_recovery = facts.text(0, 4) == "t";
    state.hidden_sessions = facts.number(0, 5);  // a visible session has a start
    const PlainAnswer off = connection.run(
        "SELECT name FROM pg_settings"
        " WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'");
    for (int row = 0; row < off.rows(); ++row) state.unsafe_settings.push_back(off.text(row, 0));
    state.instance_roles = instance_roles(connection);
    return state;
}

}  // namespace sundial::postgres
