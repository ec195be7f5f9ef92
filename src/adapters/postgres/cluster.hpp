#pragma once

#include <chrono>
#include <string>
#include <vector>

/// Machines of a distributed database, and whether they suit Sundial (ADR 0070).
namespace sundial::postgres {

class PlainConnection;

/// Settings of one server of a cluster.
struct ServerFacts {
    std::string address;                // "host:port"; of the coordinator: "the coordinator"
    std::string unreachable{};          // why it does not answer; empty: it does
    std::chrono::microseconds clock{};  // since 1970
    int version = 0;                    // 150018
    int max_prepared_transactions = 0;
    std::string fsync{}, full_page_writes{}, synchronous_commit{}, wal_level{}, encoding{};
    std::string citus{};  // version of the extension
};

/// One text of all facts, from any server: `server_facts_text` is the SELECT that makes it.
extern const char* const server_facts_text;
[[nodiscard]] ServerFacts facts_from(std::string address, const std::string& text);

struct ClusterFacts {
    ServerFacts coordinator;
    std::vector<ServerFacts> workers{};
    /// While the workers read their clocks, the coordinator's showed these.
    std::chrono::microseconds before{}, after{};
};
[[nodiscard]] ClusterFacts cluster_facts(PlainConnection& connection);

/// A reason not to distribute, or a remark; each with its remedy.
struct ClusterFinding {
    bool refuses = false;
    std::string text;
};
[[nodiscard]] std::vector<ClusterFinding> judge_cluster(const ClusterFacts& facts);

}  // namespace sundial::postgres
