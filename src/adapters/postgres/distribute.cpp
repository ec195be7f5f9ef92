#include "adapters/postgres/distribute.hpp"

#include <exception>

#include "adapters/postgres/cluster.hpp"
#include "adapters/postgres/distribute_sql.hpp"
#include "adapters/postgres/plain_connection.hpp"
#include "application/ports/failures.hpp"
#include "base/crash_point.hpp"

namespace sundial::postgres {
namespace {

/// Citus places shards by a hash. Computed for 16 shards on two workers: 11 on one, 5 on the other.
constexpr std::int64_t fewest_shards = 64;

/// State of the database before it is distributed.
struct DistributionFacts {
    std::string created, available;  // versions of the extension
    bool may = false;                // the role has the owner's rights
    bool nested_history = false;
    std::int64_t shards = 0, followers = 0;
    bool test_clock = false;
};

DistributionFacts distribution_facts(PlainConnection& connection) {
    const PlainAnswer row = connection.run(sql::distribution_facts);
    return {row.text(0, 0),   row.text(0, 1),   row.text(0, 2) == "t", row.text(0, 3) == "t",
            row.number(0, 4), row.number(0, 5), row.text(0, 6) == "t"};
}

void require_extension(const DistributionFacts& facts) {
    if (!facts.created.empty()) return;
    if (facts.available.empty()) {
        throw CannotStart{
            "extension citus is not installed on this PostgreSQL server, and db distribute needs "
            "it (docs/guide/beyond-one-machine.md)"};
    }
    throw CannotStart{
        "extension citus is installed on the server but not created in this database: run CREATE "
        "EXTENSION citus in it, on the coordinator and on each worker, and register the workers "
        "with citus_add_node"};
}

std::vector<std::string> refusals_of(const DistributionFacts& facts) {
    std::vector<std::string> all;
    if (!facts.may) {
        all.emplace_back("the role does not own the tables: use the role that migrates");
    }
    if (facts.shards < fewest_shards) {
        all.push_back(
            "the database has " + std::to_string(facts.shards) +
            " shards, too few to spread over machines: run `sundial db reshard --shards " +
            std::to_string(fewest_shards) + "` first");
    }
    if (facts.followers > 0) {
        all.push_back(std::to_string(facts.followers) +
                      " program(s) follow the outcomes of events, which needs a trigger that Citus "
                      "does not allow: end them, and delete their rows of "
                      "sundial.outcome_followers");
    }
    return all;
}

void find_tables(PlainConnection& connection, Distribution& found) {
    const PlainAnswer rows = connection.run(sql::distributed_tables);
    for (int row = 0; row < rows.rows(); ++row) {
        if (rows.text(row, 2) == "t") {
            found.already.push_back(rows.text(row, 0));
        } else if (rows.text(row, 1) == "t") {
            found.refusals.push_back("the table " + rows.text(row, 0) +
                                     " is distributed, but not by its column shard: undo that with "
                                     "undistribute_table");
        } else {
            found.distributed.push_back(rows.text(row, 0));
        }
    }
    if (!found.already.empty() && !found.distributed.empty() &&
        found.distributed.front() == "events") {
        found.refusals.push_back("the table " + found.already.front() +
                                 " is distributed and events is not: undo that with "
                                 "undistribute_table");
    }
}

void lock_tables(PlainConnection& connection) {
    connection.run(
        "LOCK TABLE sundial.events, sundial.event_keys, sundial.attempts, sundial.event_moves,"
        " sundial.event_history, sundial.settings, sundial.instances, sundial.instance_reports"
        " IN ACCESS EXCLUSIVE MODE");
    refuse_running_instances(connection, "the database can be distributed");
}

void distribute_table(PlainConnection& connection, const std::string& table, std::int64_t parts) {
    const std::string place =
        table == "events" ? "'none', shard_count := " + std::to_string(parts) : "'sundial.events'";
    connection.run("SELECT create_distributed_table(" + connection.literal("sundial." + table) +
                   ", 'shard', colocate_with := " + place + ")");
}

void distribute_tables(PlainConnection& connection, const Distribution& wanted, bool test_clock) {
    connection.run(sql::send_functions);
    for (const std::string& table : wanted.distributed) {
        distribute_table(connection, table, wanted.parts);
        CRASH_POINT("distribute: after a table");
    }
    // Its clock is a table. The engine reads it on the coordinator, but SQL functions read it on
    // the workers.
    if (test_clock) {
        connection.run(
            "SELECT create_reference_table('sundial.test_clock') WHERE NOT EXISTS (SELECT FROM "
            "pg_dist_partition WHERE logicalrelid = 'sundial.test_clock'::regclass)");
    }
}

/// Rows copied to the workers are still on the coordinator, where nothing reads them.
void tidy_up(PlainConnection& connection, const std::vector<std::string>& tables) {
    try {
        for (const std::string& table : tables) {
            connection.run("SELECT truncate_local_data_after_distributing_table(" +
                           connection.literal("sundial." + table) + ")");
        }
        connection.run("ANALYZE");
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the tables are distributed
        // Autovacuum analyses them a little later.
    }
}

}  // namespace

Distribution distribute(const std::string& url, const DistributionTerms& terms) {
    PlainConnection connection{url, true};
    const DistributionFacts facts = distribution_facts(connection);
    require_extension(facts);
    Distribution result{.shards = facts.shards, .parts = terms.parts};
    const ClusterFacts cluster = cluster_facts(connection);
    for (const ServerFacts& worker : cluster.workers) result.workers.push_back(worker.address);
    for (ClusterFinding& each : judge_cluster(cluster)) {
        (each.refuses ? result.refusals : result.remarks).push_back(std::move(each.text));
    }
    find_tables(connection, result);
    if (result.distributed.empty()) {
        for (std::string& each : result.refusals) result.remarks.push_back(std::move(each));
        result.refusals.clear();
        return result;
    }
    result.flattens_history = facts.nested_history;
    for (std::string& each : refusals_of(facts)) result.refusals.push_back(std::move(each));
    if (terms.dry_run) return result;
    if (!result.refusals.empty()) {
        std::string all;
        for (const std::string& each : result.refusals) all += (all.empty() ? "" : "; ") + each;
        throw CannotStart{all + ". Nothing has changed"};
    }
    connection.run("BEGIN");
    lock_tables(connection);
    if (result.flattens_history) connection.run(sql::flatten_history);
    connection.run("COMMIT");
    CRASH_POINT("distribute: after the history");
    connection.run("BEGIN");
    lock_tables(connection);
    distribute_tables(connection, result, facts.test_clock);
    connection.run("COMMIT");
    tidy_up(connection, result.distributed);
    return result;
}

}  // namespace sundial::postgres
