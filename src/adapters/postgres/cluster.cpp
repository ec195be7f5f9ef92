#include "adapters/postgres/cluster.hpp"

#include <sstream>

#include "adapters/postgres/plain_connection.hpp"

namespace sundial::postgres {
namespace {

using namespace std::chrono_literals;

/// NTP keeps servers within a few milliseconds. A difference adds to the lateness of every event
/// that is due by one clock and leased by the other.
constexpr std::chrono::microseconds largest_difference = 500ms;

std::string major_of(int version) { return std::to_string(version / 10'000); }

void judge_server(const ServerFacts& server, std::vector<ClusterFinding>& all) {
    if (server.max_prepared_transactions < 1) {
        all.push_back({true, server.address +
                                 " has max_prepared_transactions = 0, and Citus commits over "
                                 "several servers in two phases: set it to at least "
                                 "max_connections, and restart the server"});
    }
    if (server.encoding != "UTF8") {
        all.push_back({true, "the database on " + server.address + " has encoding " +
                                 server.encoding + ": create it with ENCODING 'UTF8'"});
    }
    const auto unsafe = [&](const std::string& setting, const std::string& value) {
        all.push_back({false, server.address + " has " + setting + " = " + value +
                                  ": acknowledged changes may be lost in a crash"});
    };
    if (server.fsync != "on") unsafe("fsync", server.fsync);
    if (server.full_page_writes != "on") unsafe("full_page_writes", server.full_page_writes);
    if (server.synchronous_commit != "on" && server.synchronous_commit != "remote_apply") {
        unsafe("synchronous_commit", server.synchronous_commit);
    }
    if (server.wal_level != "logical") {
        all.push_back({false, server.address + " has wal_level = " + server.wal_level +
                                  ": Citus moves shards without stopping writes only with "
                                  "wal_level = logical"});
    }
}

void judge_worker(const ClusterFacts& facts, const ServerFacts& worker,
                  std::vector<ClusterFinding>& all) {
    if (!worker.unreachable.empty()) {
        all.push_back({true, "the worker " + worker.address + " does not answer (" +
                                 worker.unreachable +
                                 "): start it, or remove it with citus_remove_node"});
        return;
    }
    judge_server(worker, all);
    if (worker.version / 10'000 != facts.coordinator.version / 10'000) {
        all.push_back({true, worker.address + " is PostgreSQL " + major_of(worker.version) +
                                 ", the coordinator " + major_of(facts.coordinator.version) +
                                 ": use one version"});
    }
    if (worker.citus != facts.coordinator.citus) {
        all.push_back({true, worker.address + " has citus " +
                                 (worker.citus.empty() ? "not created" : worker.citus) +
                                 ", the coordinator " + facts.coordinator.citus +
                                 ": create or update the extension on both"});
    }
    const auto behind = facts.before - worker.clock, ahead = worker.clock - facts.after;
    const auto apart = std::max(behind, ahead);
    if (apart > largest_difference) {
        const auto shown = std::chrono::duration_cast<std::chrono::milliseconds>(apart).count();
        all.push_back({true, "the clock of " + worker.address + " is " + std::to_string(shown) +
                                 " ms " + (behind > ahead ? "behind" : "ahead of") +
                                 " the coordinator's: synchronise both (chrony, "
                                 "systemd-timesyncd)"});
    }
}

}  // namespace

// The last column may be empty.
const char* const server_facts_text =
    "SELECT concat_ws(' ', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,"
    " current_setting('server_version_num'), current_setting('max_prepared_transactions'),"
    " current_setting('fsync'), current_setting('full_page_writes'),"
    " current_setting('synchronous_commit'), current_setting('wal_level'),"
    " current_setting('server_encoding'),"
    " (SELECT extversion FROM pg_extension WHERE extname = 'citus'))";

ServerFacts facts_from(std::string address, const std::string& text) {
    ServerFacts facts{.address = std::move(address)};
    std::istringstream words{text};
    std::int64_t clock = 0;
    words >> clock >> facts.version >> facts.max_prepared_transactions >> facts.fsync >>
        facts.full_page_writes >> facts.synchronous_commit >> facts.wal_level >> facts.encoding;
    if (!words) {
        facts.unreachable = "an unexpected answer: " + text;
        return facts;
    }
    words >> facts.citus;
    facts.clock = std::chrono::microseconds{clock};
    return facts;
}

ClusterFacts cluster_facts(PlainConnection& connection) {
    const auto coordinator = [&] {
        return facts_from("the coordinator", connection.run(server_facts_text).text(0, 0));
    };
    ClusterFacts facts{coordinator()};
    facts.before = facts.coordinator.clock;
    const PlainAnswer rows = connection.run(
        "SELECT nodename || ':' || nodeport, success, coalesce(result, '') FROM"
        " run_command_on_workers(" +
        connection.literal(server_facts_text) + ") ORDER BY 1");
    facts.after = coordinator().clock;
    for (int row = 0; row < rows.rows(); ++row) {
        if (rows.text(row, 1) == "t") {
            facts.workers.push_back(facts_from(rows.text(row, 0), rows.text(row, 2)));
        } else {
            facts.workers.push_back(
                {.address = rows.text(row, 0), .unreachable = rows.text(row, 2)});
        }
    }
    return facts;
}

std::vector<ClusterFinding> judge_cluster(const ClusterFacts& facts) {
    std::vector<ClusterFinding> all;
    judge_server(facts.coordinator, all);
    for (const ServerFacts& worker : facts.workers) judge_worker(facts, worker, all);
    if (facts.workers.empty()) {
        all.push_back({false,
                       "no worker is registered, so all shards stay on this server: add workers "
                       "with citus_add_node, then move shards to them with "
                       "citus_rebalance_start"});
    }
    return all;
}

}  // namespace sundial::postgres
