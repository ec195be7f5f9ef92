#pragma once

#include <cstdint>

#include "adapters/postgres/distribute.hpp"
#include "adapters/postgres/reshard.hpp"
#include "application/ports/storage_state.hpp"
#include "base/log.hpp"
#include "server/settings.hpp"

/// Where the rows of a database are: `sundial db status`, `distribute` and `reshard` (ADR 0070).
namespace sundial::server {

/// Changes nothing. The SQLite file may be absent, and in use.
[[nodiscard]] StorageState storage_state(const Settings& settings);

/// Throws CannotStart with the reason, also if the database is not a PostgreSQL or lacks a
/// migration.
postgres::Distribution distribute_database(const Settings& settings,
                                           const postgres::DistributionTerms& terms,
                                           base::Log& log);
postgres::Resharded reshard_database(const Settings& settings, std::int64_t shards, bool dry_run,
                                     base::Log& log);

}  // namespace sundial::server
