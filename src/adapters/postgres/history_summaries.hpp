#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "adapters/postgres/database.hpp"

namespace sundial::postgres {

/// Summarises the index by time of end of the history's partitions, which PostgreSQL lets fall
/// behind (ADR 0023). It remembers which ranges have a summary, because the server does not tell.
/// Thread-safe.
///
/// Not on a distributed database: each of its machines keeps requests of its own, and a call for a
/// partition's shards, which may be on all machines, could neither be bounded nor avoid waiting.
class HistorySummaries {
public:
    explicit HistorySummaries(Database& database) : database_{database} {}

    /// Looks at `limit` ranges at most. Returns whether more may lack a summary.
    bool run(std::size_t limit);

private:
    struct Partition {
        std::int64_t id;
        std::int64_t received;  // rows
    };
    /// The ranges of a partition that have a summary: [low, high). The latest are summarised first,
    /// because lists begin with them.
    struct Known {
        std::int64_t low = 0, high = 0;
        bool seen = false;
        std::optional<std::int64_t> received{};  // when all ranges had a summary
    };
    [[nodiscard]] std::vector<Partition> read_partitions();
    /// The number of whole ranges that the partition has. Empty: it is locked.
    std::optional<std::int64_t> summarise_ranges(const Partition& partition, std::int64_t first,
                                                 std::int64_t past);
    void summarise(const Partition& partition, std::int64_t& left);

    Database& database_;
    std::mutex mutex_;
    std::map<std::int64_t, Known> known_;
};

}  // namespace sundial::postgres
