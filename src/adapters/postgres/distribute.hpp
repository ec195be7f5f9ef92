#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// `sundial db distribute`: the tables of events over several servers, by Citus (ADR 0070).
namespace sundial::postgres {

struct DistributionTerms {
    bool dry_run = false;
    std::int64_t parts = 32;  // into which Citus splits each table
};

struct Distribution {
    std::vector<std::string> distributed{};  // in a dry run: that would be
    std::vector<std::string> already{};
    std::vector<std::string> workers{};
    std::int64_t shards = 0;  // of Sundial
    std::int64_t parts = 0;
    bool flattens_history = false;        // because Citus distributes no partitions of partitions
    std::vector<std::string> refusals{};  // of a dry run
    std::vector<std::string> remarks{};
};

/// Distributes `events`, `event_keys`, `attempts`, `event_moves` and `event_history` by shard. The
/// database is migrated. Repeating it does no harm. Throws CannotStart if the extension is missing
/// or, unless it is a dry run, if the cluster does not suit; then nothing has changed.
Distribution distribute(const std::string& url, const DistributionTerms& terms);

}  // namespace sundial::postgres
