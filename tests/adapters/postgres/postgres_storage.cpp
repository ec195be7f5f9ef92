#include "postgres_storage.hpp"

#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "adapters/postgres/distribute.hpp"
#include "adapters/postgres/distribute_sql.hpp"
#include "support/postgres_cluster.hpp"

namespace sundial::postgres {
namespace {

using Fence = PostgresStorage::Fence;

struct Kept {
    std::string url;
    std::unique_ptr<PostgresDatabase> database;
    std::unique_ptr<SqlConnection> connection;
};

/// The engine's role inside a fence: it owns the tables, and is not a superuser.
void make_fenced_role(const std::string& url) {
    query(url, R"(
        DO $$ BEGIN
            IF to_regrole('fenced') IS NULL THEN CREATE ROLE fenced LOGIN; END IF;
            EXECUTE format('GRANT CREATE ON DATABASE %I TO fenced', current_database());
        END $$)");
}

/// Row-level security asks `fence.lets_pass` about each row that a statement reads, after its
/// condition on the shard, or writes. `current_query` is the text of the engine's statement, and
/// statement_timestamp differs between two executions.
void build_fence(const std::string& url) {
    query(url, R"(
        CREATE SCHEMA fence;
        GRANT USAGE ON SCHEMA fence TO fenced;
        CREATE FUNCTION fence.lets_pass(shard smallint) RETURNS boolean LANGUAGE plpgsql AS $$
        DECLARE
            execution CONSTANT text := extract(epoch FROM statement_timestamp())::text;
            seen CONSTANT text[] := string_to_array(current_setting('fence.seen', true), ' ');
        BEGIN
            IF current_query() !~ 'shard = \$\d' THEN
                RETURN true;
            ELSIF seen[1] IS DISTINCT FROM execution THEN
                PERFORM set_config('fence.seen', execution || ' ' || shard, true);
            ELSIF seen[2] <> shard::text THEN
                RAISE 'a statement that names one shard touches shards % and %: %', seen[2], shard, current_query();
            END IF;
            RETURN true;
        END $$;
        DO $$
        DECLARE
            fenced text;
        BEGIN
            FOREACH fenced IN ARRAY ARRAY['events', 'event_keys', 'attempts', 'event_moves', 'event_history'] LOOP
                EXECUTE format('ALTER TABLE sundial.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', fenced);
                EXECUTE format('CREATE POLICY fence ON sundial.%I USING (fence.lets_pass(shard))', fenced);
            END LOOP;
        END $$)");
}

/// On Citus, a function in a read of events runs on the machine of the rows, and in a change on the
/// coordinator.
void refuse_clocks_of_machines(const std::string& url) {
    query(url, R"(
        CREATE OR REPLACE FUNCTION sundial.clock() RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
        BEGIN
            IF current_query() ~ 'sundial\.(events|v_events|event_keys|event_moves|event_history|attempts)'
               AND current_query() !~ '(UPDATE|INSERT INTO|DELETE FROM) sundial\.' THEN
                RAISE 'a read of events reads the clock of a machine: %', current_query();
            END IF;
            RETURN (SELECT now FROM sundial.test_clock);
        END $$)");
}

/// Adds a function that empties the database. The server plans its statements once for all tests
/// of a connection; to connect and plan them before each test took 100 ms of CPU, to run them 2.
void add_wipe(const std::string& url) {
    query(url, R"(
        CREATE TABLE first_schedules AS TABLE sundial.schedules;
        CREATE FUNCTION wipe() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM sundial.instance_reports;
            DELETE FROM sundial.browser_sessions;
            DELETE FROM sundial.counters;
            DELETE FROM sundial.users;
            DELETE FROM sundial.schedules;
            DELETE FROM sundial.endpoints;
            DELETE FROM sundial.events;
            DELETE FROM sundial.event_history;
            DELETE FROM sundial.event_keys;
            DELETE FROM sundial.attempts;
            DELETE FROM sundial.recorded_events;
            DELETE FROM sundial.endpoint_circuits;
            DELETE FROM sundial.endpoint_limits;
            DELETE FROM sundial.endpoint_slots;
            DELETE FROM sundial.streams;
            DELETE FROM sundial.snapshots;
            DELETE FROM sundial.checkpoints;
            DELETE FROM sundial.parked_events;
            DELETE FROM sundial.idempotency_keys;
            DELETE FROM sundial.inbox_requests;
            DELETE FROM sundial.skipped_runs;
            DELETE FROM sundial.tz_fingerprints;
            DELETE FROM sundial.event_moves;
            DELETE FROM sundial.operations;
            DELETE FROM sundial.api_keys;
            DELETE FROM sundial.calendars;
            DELETE FROM sundial.operation_failures;
            DELETE FROM sundial.locks;
            DELETE FROM sundial.intake;
            DELETE FROM sundial.instances;
            DELETE FROM sundial.outboxes;
            DELETE FROM sundial.outbox_taken;
            DELETE FROM sundial.outbox_refused;
            DELETE FROM sundial.outcome_followers;
            DELETE FROM sundial.outcome_queue;
            INSERT INTO sundial.schedules TABLE first_schedules;
            UPDATE sundial.test_clock SET now = '2027-01-05T12:00:00Z';
        END $$)");
}

std::optional<std::string> url_of_citus() {
    const char* const url = std::getenv("SUNDIAL_CITUS");
    return url ? std::optional<std::string>{url} : std::nullopt;
}

Kept opened(std::uint32_t shards, Fence fence) {
    static RecordedLog log;
    const bool on_citus = fence == Fence::citus;
    const std::string url =
        on_citus ? url_of_citus().value() : PostgresCluster::shared().create_database();
    const bool fenced = fence != Fence::none && !on_citus;
    if (fenced) make_fenced_role(url);
    const auto open = [&] {
        Settings settings = patient(fenced ? inside_fence(url) : url);
        settings.pool_size = 16;
        settings.shards = shards;
        settings.test_clock = true;
        return PostgresDatabase::open(settings, log);
    };
    auto database = open();
    if (fence == Fence::between_machines || on_citus) {
        database.reset();
        if (on_citus) {
            (void)distribute(url, {});
        } else {
            seem_distributed(url);
            refuse_clocks_of_machines(url);
        }
        database = open();
    }
    if (fenced) build_fence(url);
    add_wipe(url);
    return {url, std::move(database), std::make_unique<SqlConnection>(url)};
}

}  // namespace

PostgresStorage::PostgresStorage(std::uint32_t shards, Fence fence) : fence_{fence} {
    static std::map<std::pair<std::uint32_t, Fence>, Kept> kept;
    auto found = kept.find({shards, fence});
    if (found == kept.end()) {
        found = kept.emplace(std::pair{shards, fence}, opened(shards, fence)).first;
    }
    url_ = found->second.url;
    database_ = found->second.database.get();
    found->second.connection->query("SELECT wipe()");
}

std::string PostgresStorage::url_of_engine() const {
    return fence_ == Fence::none || fence_ == Fence::citus ? url_ : inside_fence(url_);
}

void flatten_history_once(const PostgresStorage& storage) {
    // As the owner of the tables: the new ones must be the engine's, too.
    const std::string url = storage.url_of_engine();
    if (query(url, "SELECT to_regclass('sundial.event_history_done') IS NULL")[0][0] == "t") return;
    query(url, sql::flatten_history);
}

StorageKind postgres_with(std::uint32_t shards, Fence fence) {
    const std::string behind = fence == Fence::none            ? ""
                               : fence == Fence::around_shards ? " behind a fence"
                               : fence == Fence::citus         ? " on Citus"
                                                               : " on many machines";
    return {"PostgreSQL with " + std::to_string(shards) + " shards" + behind,
            [shards, fence] { return std::make_unique<PostgresStorage>(shards, fence); }};
}

std::vector<StorageKind> postgres_on_citus() {
    constexpr std::uint32_t fewest_shards = 64;
    if (!url_of_citus()) return {};
    return {postgres_with(fewest_shards, Fence::citus)};
}

// The engine looks for this table of Citus to know whether events are distributed.
void seem_distributed(const std::string& url) {
    query(url, R"(
        SET allow_system_table_mods = on;
        CREATE TABLE pg_catalog.pg_dist_partition AS SELECT 'sundial.events'::regclass AS logicalrelid;
        GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC)");
}

std::string inside_fence(std::string url) {
    const std::string superuser = "user=sundial";
    return url.replace(url.find(superuser), superuser.size(), "user=fenced");
}

}  // namespace sundial::postgres
