#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "simulation/timeline.hpp"

namespace sundial::simulation {

/// Cost in CPU time; a row costs less than a microsecond of `Time`.
using Cost = std::chrono::duration<double, std::micro>;

/// The measured cost of one statement: CPU time of the database per call and per row.
struct StatementCost {
    Cost call{0};
    Cost row{0};
    [[nodiscard]] Cost of(std::size_t rows) const { return call + row * rows; }
};

struct Costs {
    StatementCost peek;    // rows: shards
    StatementCost claim;   // rows: claimed events
    StatementCost settle;  // rows: settled events
    Cost commit{0};        // wait for the disk, without CPU
    Cost network{0};       // round trip, also between coordinator and node
    Cost event{0};         // CPU time of the instance per event, from claim to settlement
    Cost answer{0};        // until a receiver responds
};

/// Some CPUs. Work may be reserved ahead of its time, because a caller computes all its round trips
/// at once. Work that arrives earlier is done before it, if it fits.
class Machine {
public:
    explicit Machine(std::size_t cores) : cores_(cores) {}
    /// The time when work that arrives at `at` is finished.
    Cost run(Cost at, Cost work);
    [[nodiscard]] Cost busy() const { return busy_; }

private:
    struct Core {
        /// When it can begin.
        [[nodiscard]] Cost free_at(Cost at, Cost work) const;
        void take(Cost start, Cost work);

        std::map<Cost, Cost> spans;  // when it is busy: end by start; they do not touch
    };

    std::vector<Core> cores_;
    Cost busy_{0};
};

struct ScaleSettings {
    std::size_t instances = 1;
    std::size_t nodes = 1;         // nodes of the database, each with a part of the shards
    std::size_t node_cores = 2;    // per node
    std::size_t shards = 16;       // of all nodes together
    std::size_t slots = 64;        // per instance
    std::size_t sessions = 4;      // at most, of a settlement on several nodes
    bool one_machine = false;      // instances also use the CPUs of the first node
    std::size_t events = 100'000;  // in total
    /// Events are due at equal distances within this; 0: all at one instant.
    Cost spread{0};
    Costs costs{};
};

/// The database of many nodes: the rows of the claim protocol, and the cost of each access.
/// Single-threaded.
class Cluster {
public:
    explicit Cluster(const ScaleSettings& settings);

    struct Done {
        Cost due;
        Cost started;  // its first attempt
        Cost settled;
    };
    [[nodiscard]] const std::vector<Done>& done() const { return done_; }
    [[nodiscard]] bool all_done() const { return done_.size() == settings_.events; }
    [[nodiscard]] std::uint64_t claims() const { return claims_; }
    /// CPU time used by all nodes.
    [[nodiscard]] Cost busy() const;

    // The calls of one instance. `answered` contains the time of the call, and receives the time of
    // the response.

    QueuePeek peek(Cost& answered);
    std::vector<Claimed> claim(std::span<const ClaimRequest> requests, Cost& answered);
    std::vector<Result<void, LeaseLost>> settle(std::span<const Settlement> settlements,
                                                Cost& answered);
    /// Instances that share the first node's CPUs run here.
    Machine& first_node() { return nodes_.front(); }

private:
    struct Row {
        Event event;
        Cost due;
    };
    [[nodiscard]] Machine& node_of(std::uint32_t shard) { return nodes_[shard % nodes_.size()]; }
    [[nodiscard]] static Instant instant(Cost at);
    Claimed claim_part(const ClaimRequest& request, Cost& answered);
    /// The waits of a transaction on one node. With several nodes, the statement and the commit
    /// each take a round trip between the coordinator and the node.
    [[nodiscard]] Cost commit() const;

    const ScaleSettings settings_;
    std::vector<Machine> nodes_;
    /// By the instant at which they are claimable.
    std::vector<std::multimap<Instant, EventId>> waiting_;
    std::map<EventId, Row> rows_;
    std::vector<Done> done_;
    std::uint64_t claims_ = 0;
};

}  // namespace sundial::simulation
