#include "postgres_storage.hpp"

#include <map>

#include "support/postgres_cluster.hpp"

namespace sundial::postgres {
namespace {

struct Kept {
    std::string url;
    std::unique_ptr<PostgresDatabase> database;
};

Kept opened(std::uint32_t shards) {
    static RecordedLog log;
    const std::string url = PostgresCluster::shared().create_database();
    auto database = PostgresDatabase::open(
        {.url = url, .pool_size = 16, .shards = shards, .test_clock = true}, log);
    query(url, "CREATE TABLE first_schedules AS TABLE sundial.schedules");
    return {url, std::move(database)};
}

void wipe(const std::string& url) {
    query(url, R"(
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
        UPDATE sundial.test_clock SET now = '2027-01-05T12:00:00Z')");
}

}  // namespace

PostgresStorage::PostgresStorage(std::uint32_t shards) {
    static std::map<std::uint32_t, Kept> kept;
    auto found = kept.find(shards);
    if (found == kept.end()) found = kept.emplace(shards, opened(shards)).first;
    url_ = found->second.url;
    database_ = found->second.database.get();
    wipe(url_);
}

StorageKind postgres_with(std::uint32_t shards) {
    return {"PostgreSQL with " + std::to_string(shards) + " shards",
            [shards] { return std::make_unique<PostgresStorage>(shards); }};
}

}  // namespace sundial::postgres
