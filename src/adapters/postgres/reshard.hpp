#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// `sundial db reshard`: another number of shards for a database without servers (ADR 0070).
namespace sundial::postgres {

struct Resharded {
    std::int64_t before = 0, after = 0;
    /// Of each table the rows that changed their shard; in a dry run, those that would.
    std::vector<std::pair<std::string, std::int64_t>> moved{};
};

/// In one transaction, which verifies every row before it commits. Throws CannotStart, with
/// nothing changed, if an instance uses the database, an operation is under way, or the tables are
/// distributed.
Resharded reshard(const std::string& url, std::int64_t shards, bool dry_run);

class PlainConnection;
/// Gives SQL functions the number that `sundial.settings` has now. For a transaction that changes
/// the settings.
void declare_shards(PlainConnection& connection);
/// Without it a table may have rows of another number of shards.
inline constexpr const char* shards_are_unchecked =
    "ALTER TABLE sundial.events DROP CONSTRAINT IF EXISTS events_are_in_their_shard";

}  // namespace sundial::postgres
