#include "contract/suites.hpp"
#include "sqlite_storage.hpp"

namespace sundial {

SUNDIAL_CONTRACTS(Sqlite,
                  StorageKind{"sqlite", [] { return std::make_unique<sqlite::SqliteStorage>(); }});
SUNDIAL_CONTRACT(Sqlite, ClaimedNextContract,
                 StorageKind{"sqlite", [] { return std::make_unique<sqlite::SqliteStorage>(); }});

/// One process uses the file.
TEST(SqliteQueue, NeedsNoHeartbeat) {
    sqlite::SqliteStorage storage;
    EXPECT_FALSE(storage.queue().renew(instance_a));
    storage.queue().retire(instance_a);
}

}  // namespace sundial
