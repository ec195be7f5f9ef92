#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Facts about a database for its operator.
namespace sundial {

/// A pool of connections.
struct PoolUse {
    std::size_t idle = 0;
    std::size_t in_use = 0;
    std::size_t waiting = 0;  // calls that wait for a connection
};

/// The transactions of other sessions in the database; vacuum removes no row that they could read.
struct OpenTransactions {
    std::chrono::seconds oldest{0};    // of those that the database's role can see; 0: none
    std::int64_t hidden_sessions = 0;  // sessions of other roles, which it cannot see
};

/// The facts that `sundial db status` shows.
struct StorageState {
    struct Table {
        std::string name;
        std::optional<std::int64_t> rows{};  // the planner's estimate; empty if it has none
        std::int64_t bytes = 0;              // with indexes and partitions
    };
    /// A machine of a distributed database.
    struct Node {
        std::string address;  // host:port
        bool coordinator = false;
        bool active = false;
        std::int64_t placements = 0;          // of the table `events`
        std::int64_t shards = 0;              // of Sundial, in these placements
        std::optional<std::int64_t> bytes{};  // of the distributed tables; empty if unreachable
    };
    /// A part of the distributed tables that is moved as a whole.
    struct Placement {
        std::int64_t id = 0;  // Citus's number of its part of `events`
        std::string node;
        std::vector<std::int64_t> shards{};   // of Sundial
        std::optional<std::int64_t> bytes{};  // of the parts of all distributed tables
    };

    std::string software;  // "PostgreSQL 15.18"
    std::string place;     // the file, or "database at host:port"
    std::int64_t bytes = 0;
    std::int64_t free_bytes = 0;                // SQLite: in the file, for new rows
    std::optional<std::int64_t> live_events{};  // SQLite; PostgreSQL has it in `tables`
    std::int64_t shards = 0;                    // 0: no schema yet
    std::vector<Table> tables{};                // of events, then the sum of all others
    std::string citus{};  // version of the extension; empty: not in this database
    bool distributed = false;
    std::vector<Node> nodes{};
    std::vector<Placement> placements{};
};

}  // namespace sundial
