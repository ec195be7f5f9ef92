#include "server/distribution.hpp"

#include <string>

#include "adapters/postgres/storage_state.hpp"
#include "adapters/sqlite/storage_state.hpp"
#include "application/ports/failures.hpp"
#include "server/database.hpp"

namespace sundial::server {
namespace {

void require_migrated_server(const Settings& settings, const std::string& command, base::Log& log) {
    if (sqlite_file(settings.storage.url)) {
        throw CannotStart{command +
                          " is for PostgreSQL: a SQLite file has one shard, on one machine"};
    }
    if (!database_status(settings, log).up_to_date) {
        throw CannotStart{
            "the database has pending migrations. Run 'sundial db migrate' on it first. Nothing "
            "has changed"};
    }
}

}  // namespace

StorageState storage_state(const Settings& settings) {
    if (const auto file = sqlite_file(settings.storage.url)) return sqlite::storage_state(*file);
    return postgres::storage_state(settings.storage.url);
}

postgres::Distribution distribute_database(const Settings& settings,
                                           const postgres::DistributionTerms& terms,
                                           base::Log& log) {
    require_migrated_server(settings, "db distribute", log);
    return postgres::distribute(settings.storage.url, terms);
}

postgres::Resharded reshard_database(const Settings& settings, std::int64_t shards, bool dry_run,
                                     base::Log& log) {
    if (shards < 1 || shards > 256 || (shards & (shards - 1)) != 0) {
        throw CannotStart{"the number of shards must be a power of two from 1 to 256, not " +
                          std::to_string(shards)};
    }
    require_migrated_server(settings, "db reshard", log);
    return postgres::reshard(settings.storage.url, shards, dry_run);
}

}  // namespace sundial::server
